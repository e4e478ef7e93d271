#!/usr/bin/env python3
"""Large and hostile files: an answer or a clear error, in the memory that docs/reference/limits.md states.

Usage: limits.py --program PROGRAM [Hostile | Large | unittest's arguments]
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import unittest
import zlib

MEGA = 1 << 20
given = None


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="softwood-limits-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_program(self, *words, mega, code=0, says="", stdin=None, stack=None):
        """Output of a run that ends with this code and takes at most so much memory (with that of this process), and
        `stack` bytes for calls."""
        def limit():
            if stack is not None:
                resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
        out, err = self.folder / "stdout", self.folder / "stderr"
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            running = subprocess.Popen([given.program, *map(str, words)], cwd=self.folder, stdout=stdout,
                                       stderr=stderr, stdin=stdin or subprocess.DEVNULL, preexec_fn=limit,
                                       env=dict(os.environ, SOFTWOOD_OPENML_URL="http://127.0.0.1:9"))
            _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"{self.id().split('.', 1)[1]}: {words[0]}, {seconds:.1f} s, {peak:.0f} MiB", flush=True)
        errors = err.read_bytes().decode("utf-8", "replace")
        self.assertEqual(running.returncode, code, errors[:2000])
        self.assertIn(says, errors)
        self.assertLess(len(errors), 10000, "a message that a person can read")
        if not sanitized():
            self.assertLess(peak, mega)
        return out.read_text("utf-8", "replace")

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def model(self, csv, *words):
        """A trained model as data."""
        self.write("small.csv", csv)
        self.run_program("train", "small.csv", "--quiet", "-o", "small.json", *words, mega=200)
        return json.loads((self.folder / "small.json").read_text())

    def save(self, name, model):
        return self.write(name, json.dumps(model))


def sanitized():
    program = pathlib.Path(given.program).read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


SMALL = "a,c,y\n" + "".join(f"{i},{'uvw'[i % 3]},{'no' if i % 20 < 12 else 'yes'}\n" for i in range(40))


class Hostile(Case):
    def test_json_of_great_depth(self):
        for open_, close in (("[", "]"), ('{"nodes":', "}")):
            self.write("deep.json", open_ * 1000000 + "1" + close * 1000000)
            for verb in (["show", "deep.json"], ["predict", "deep.json", "small.csv"]):
                self.write("small.csv", SMALL)
                self.run_program(*verb, mega=200, code=3, says="nested too deeply")

    def test_packed_bomb(self):
        # A gigabyte of one letter in a megabyte; half of the memory that ulimit allows is the limit.
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        block = b"a,b\n" + b"1,x\n" * (MEGA // 4)
        with open(self.folder / "bomb.csv.gz", "wb") as file:
            for _ in range(1024):
                file.write(packer.compress(block))
            file.write(packer.flush())
        self.assertLess((self.folder / "bomb.csv.gz").stat().st_size, 8 * MEGA)
        command = f"ulimit -v {600 * 1024}; exec '{given.program}' data describe bomb.csv.gz"
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, check=False)
        if not sanitized():
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b"more than the 300 MiB allowed", done.stderr)

    def test_packed_bomb_of_bombs(self):
        inner = gzip.compress(b"0" * (64 * MEGA), 9)
        self.write("bomb.gz", gzip.compress(inner, 9))
        self.run_program("data", "describe", "bomb.gz", mega=400, code=3)

    def test_names_of_a_megabyte(self):
        name = "n" * MEGA
        self.write("long.csv", SMALL.replace("a,c,y", f"{name},c,y", 1))
        self.run_program("train", "long.csv", "--quiet", "-o", "long.json", mega=400)
        for words in (["show", "long.json"], ["show", "long.json", "--rules"], ["report", "long.json", "-o", "l.html"],
                      ["plot", "long.json", "-o", "l.svg"], ["predict", "long.json", "long.csv", "--path"],
                      ["explain", "long.json", "long.csv", "--row", "1"], ["evaluate", "long.json", "long.csv"],
                      *(["export", "long.json", "--to", form, "-o", "x." + form]
                        for form in ("c", "cpp", "python", "javascript", "sql", "onnx", "pmml", "dot"))):
            self.run_program(*words, mega=700)
        self.write("other.csv", "b,c\n1,u\n")
        self.run_program("predict", "long.json", "other.csv", mega=400, code=3, says="is not there")
        self.run_program("train", "long.csv", "--target", name[:100000], mega=400, code=3, says="there is no column")

    def test_tables_that_disagree(self):
        changes = {
            "a class twice": lambda m: m["schema"]["target"].update(levels=["no", "no"]),
            "fewer classes": lambda m: m["schema"]["target"]["levels"].pop(),
            "more classes": lambda m: m["schema"]["target"]["levels"].append("maybe"),
            "no input": lambda m: m["schema"]["features"].clear(),
            "a node too few": lambda m: m["nodes"].pop(),
            "a node twice": lambda m: m["nodes"].append(m["nodes"][-1]),
            "sums of another width": lambda m: m["nodes"][0]["sums"].append(1),
            "children elsewhere": lambda m: m["nodes"][0].update(first=0),
            "a chosen row that is not there": lambda m: m["complexity"].update(chosen=1000),
            "a version of the future": lambda m: m.update(version=3),
        }
        for what, change in changes.items():
            with self.subTest(what):
                model = self.model(SMALL, "--recipe", "grow | prune rule=min")
                text = json.dumps(model)
                change(model)
                self.assertNotEqual(json.dumps(model), text)
                self.save("wrong.json", model)
                self.write("small.csv", SMALL)
                self.run_program("show", "wrong.json", mega=200, code=3)

    def chain(self, gates, levels, **more):
        """A model whose gates name two of many levels."""
        model = self.model(SMALL, "--recipe", "grow max-leaves=2", "--ignore", "a")
        model["schema"]["features"][0]["levels"] += [f"{i:x}" for i in range(levels)]
        inner, leaf = dict(model["nodes"][0], **more), dict(model["nodes"][1], sums=[1, 1])
        nodes = [dict(inner, node=0, first=1)]
        for i in range(gates - 1):
            nodes += [dict(leaf, node=2 * i + 1), dict(inner, node=2 * i + 2, first=2 * i + 3)]
        nodes += [dict(leaf, node=2 * gates - 1), dict(leaf, node=2 * gates)]
        return self.save("chain.json", dict(model, nodes=nodes))

    def test_gates_that_name_few_of_many_levels(self):
        path = self.chain(gates=2000, levels=10000)
        self.run_program("show", path.name, "--summary", mega=200 + path.stat().st_size * 1100 / MEGA)

    def test_gates_over_more_levels_than_the_file_pays_for(self):
        path = self.chain(gates=1, levels=100000)
        model = json.loads(path.read_text())
        gate = model["nodes"][0]["gate"]
        model["nodes"][0]["competitors"] = [{"gate": gate, "gain": 0.1}] * 5000
        self.save("chain.json", model)
        self.run_program("show", "chain.json", mega=200 + path.stat().st_size * 1100 / MEGA, code=3,
                         says="too large for a file of this size")


    def test_numbers_of_options(self):
        """The largest are taken, those beyond are named."""
        self.write("small.csv", SMALL)
        for option, largest in (("--seed", 2 ** 62), ("--threads", 1024)):
            train = ["train", "small.csv", "--quiet", "-o", "small.json", option]
            self.run_program(*train, largest, mega=400)
            for beyond in (largest + 1, 10 ** 30):
                self.run_program(*train, beyond, mega=200, code=2, says=f"to {largest}\n")

    def test_models_that_a_report_compares(self):
        self.model(SMALL)
        report = ["report", "small.json", "small.csv", "--quiet", "-o", "r.html"]
        self.run_program(*report, *["--against", "small.json"] * 4, mega=200)
        self.run_program(*report, *["--against", "small.json"] * 5, mega=200, code=2)

    def test_objects_of_many_keys(self):
        model = self.model(SMALL)
        model["nodes"][0].update((f"key {i}", 1) for i in range(33))
        self.save("wrong.json", model)
        self.run_program("show", "wrong.json", mega=200, code=3, says="an object has too many keys")

    def test_a_tree_of_great_depth(self):
        """A chain of thresholds, on a small stack: what goes down a tree does not call itself."""
        model = self.model("x,y\n1,a\n2,a\n3,b\n4,b\n", "--recipe", "grow min-leaf=1")
        inner, leaf = model["nodes"][0], model["nodes"][1]
        depth = 5000
        nodes = []
        for i in range(depth):
            gate = dict(inner["gate"], cut=i)
            nodes += [dict(inner, node=2 * i, gate=gate, first=2 * i + 1, sums=[depth - i, depth - i]),
                      dict(leaf, node=2 * i + 1, sums=[1 - i % 2, i % 2])]
        nodes.append(dict(leaf, node=2 * depth, sums=[1, 1]))
        self.save("chain.json", dict(model, nodes=nodes))
        self.write("rows.csv", "x,y\n" + "".join(f"{20 * i + 20},{'ab'[i % 2]}\n" for i in range(10)))
        stack = None if sanitized() else 512 << 10
        for words in (["explain", "chain.json", "rows.csv", "--row", "1"],
                      ["explain", "chain.json", "rows.csv", "--row", "1", "--change"],
                      ["export", "chain.json", "--to", "pmml", "-o", "x.pmml"],
                      ["export", "chain.json", "--to", "c", "-o", "x.c"],
                      ["predict", "chain.json", "rows.csv", "--quiet", "-o", "p.csv"]):
            self.run_program(*words, mega=400, stack=stack)
        for style in ([], ["--style", "rpart"]):
            shown = self.run_program("show", "chain.json", *style, mega=200, stack=stack)
            self.assertLess(len(shown), 20 << 20, "lines are not blanks above all")


class Large(Case):
    def test_wide_rows_of_long_cells(self):
        """What is noted of parts of the file times columns stays small beside it."""
        columns = 100000
        with open(self.folder / "wide.csv", "w") as file:
            file.write(",".join(f"x{c}" for c in range(columns)) + ",y\n")
            for row in range(60):
                file.write(",".join(f"0.{row % 7}234567890123456789" for _ in range(columns)) + f",{'ab'[row % 2]}\n")
        self.run_program("data", "describe", "wide.csv", "--json", mega=1000)

    def test_a_branch_per_level_and_missing_cells(self):
        """Rows take no memory for the branches that they do not go to."""
        self.write("levels.csv", "c,x,y\n" + "".join(f"{f'l{i % 100000}' if i % 10 else ''},{i % 7},{i % 2}\n"
                                                     for i in range(300000)))
        self.run_program("train", "levels.csv", "--quiet", "--method", "c45", "-o", "m.json", mega=4000)
        grow = "grow nominal=multiway max-depth=2 criterion=entropy missing="
        self.run_program("train", "levels.csv", "--quiet", "--recipe", grow + "majority", "-o", "m.json", mega=4000)
        self.run_program("predict", "m.json", "levels.csv", "--quiet", "-o", "p.csv", mega=4000)

    def test_a_branch_per_level_and_rows_divided_among_all(self):
        def write(each):
            self.write("levels.csv", "c,x,y\n" + "".join(f"{f'l{i % 100000}' if i % each else ''},{i},{i % 2}\n"
                                                         for i in range(300000)))
        grow = "grow nominal=multiway max-depth=2 criterion=entropy missing=fractional"
        write(10)
        self.run_program("train", "levels.csv", "--quiet", "--recipe", grow, "-o", "m.json", mega=4000, code=1,
                         says="would be divided among")
        write(3000)
        self.run_program("train", "levels.csv", "--quiet", "--recipe", grow, "-o", "m.json", mega=4000)

    def test_ten_thousand_classes(self):
        self.write("classes.csv", "x,y\n" + "".join(f"{i},k{i // 2}\n" for i in range(20000)))
        self.run_program("train", "classes.csv", "--quiet", "--recipe", "grow max-leaves=20", "-o", "m.json", mega=4000)
        self.run_program("predict", "m.json", "classes.csv", "--quiet", "-o", "p.csv", mega=4000)

    def test_ten_million_rows(self):
        with open(self.folder / "rows.csv", "w") as file:
            file.write("a,b,c,y\n")
            draw = random.Random(1)
            block = "".join(f"{draw.random():.4f},{draw.random():.4f},{draw.choice('uvw')},{draw.choice('01')}\n"
                            for _ in range(100000))
            for _ in range(100):
                file.write(block)
        self.run_program("train", "rows.csv", "--quiet", "--recipe", "grow max-depth=6", "-o", "m.json", mega=4000)
        self.run_program("predict", "m.json", "rows.csv", "--quiet", "-o", "p.csv", mega=4000)

    def test_a_hundred_thousand_columns(self):
        columns = 100000
        with open(self.folder / "wide.csv", "w") as file:
            file.write(",".join(f"x{c}" for c in range(columns)) + ",y\n")
            for row in range(30):
                file.write(",".join(str((row * (c + 3)) % 17) for c in range(columns)) + f",{'ab'[row % 2]}\n")
        self.run_program("train", "wide.csv", "--quiet", "--recipe", "grow max-depth=3", "-o", "m.json", mega=3000)
        self.run_program("predict", "m.json", "wide.csv", "--quiet", "-o", "p.csv", mega=3000)

    def test_a_million_levels(self):
        self.write("levels.csv", "c,x,y\n" + "".join(f"l{i % 1000000},{i % 7},{i % 2}\n" for i in range(1500000)))
        self.run_program("train", "levels.csv", "--quiet", "--recipe", "grow max-depth=4", "-o", "m.json", mega=4000)
        self.run_program("predict", "m.json", "levels.csv", "--quiet", "-o", "p.csv", mega=4000)

    def test_a_branch_for_each_of_100000_levels(self):
        self.write("levels.csv", "c,x,y\n" + "".join(f"l{i % 100000},{i % 7},{i % 2}\n" for i in range(300000)))
        self.run_program("train", "levels.csv", "--quiet", "--recipe", "grow nominal=multiway max-depth=2 criterion=entropy",
                         "-o", "m.json", mega=4000)
        for words in (["predict", "m.json", "levels.csv", "--quiet", "-o", "p.csv"], ["show", "m.json"],
                      ["report", "m.json", "-o", "r.html"], ["export", "m.json", "--to", "c", "-o", "x.c"]):
            self.run_program(*words, mega=4000)

    def test_a_model_of_a_million_nodes(self):
        draw = random.Random(1)
        self.write("noise.csv", "a,b,y\n" + "".join(f"{draw.random()},{draw.random()},{draw.random()}\n"
                                                    for _ in range(500001)))
        self.run_program("train", "noise.csv", "--quiet", "--recipe", "grow", "-o", "m.json", mega=4000)
        size = (self.folder / "m.json").stat().st_size
        print(f"the model has {size / MEGA:.0f} MiB", flush=True)
        self.run_program("show", "m.json", "--rules", mega=200 + 40 * size / MEGA)
        self.run_program("predict", "m.json", "noise.csv", "--quiet", "-o", "p.csv", mega=200 + 20 * size / MEGA)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--program", required=True)
    given, rest = parser.parse_known_args()
    given.program = os.path.abspath(given.program)
    unittest.main(argv=[sys.argv[0], *rest])
