#!/usr/bin/env python3
"""Speed of exported C code beside that of m2cgen and tl2cgen; prints tables.

Usage: build/peers-env/bin/python bench/export.py [--program SOFTWOOD] [--cc gcc] [--repeats N] [--write-doc]

Needs build/release/softwood, m2cgen and tl2cgen (`make bench-export` installs and builds them). All three write
the same tree: of depth 10, grown on 20000 drawn rows with 10 inputs and two classes. Their code is compiled with
-O2 and answers these rows on one core, one call per row, and by one call for all rows where there is such a call
(tl2cgen's rows are converted to its own type before the clock starts). The soft tree of 64 leaves has logistic
gates over sums of all inputs and constant leaves; the library's time is that of `softwood predict` less its time for a tree of one leaf. The
tree of 10000 leaves is compiled once with -O2; a compiler that needs longer than --limit seconds is stopped.
"""

import argparse
import array
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

from report import ROOT, machine, machine_text, table_text, write_document

ROWS, COLUMNS, LEAVES = 20000, 10, 10000

DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void one_row(const double *row, double *out);
void all_rows(const double *rows, size_t count, double *out);
void prepare(const double *rows, size_t count);

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words)
{
  const size_t rows = strtoul(words[2], NULL, 10), columns = strtoul(words[3], NULL, 10);
  double *x = malloc(rows * columns * sizeof *x), *out = malloc(rows * 2 * sizeof *out);
  double best_one = 1e9, best_all = 1e9, sum = 0;
  FILE *f = fopen(words[1], "rb");
  size_t r;
  int k;
  if (count != 4 || !f || fread(x, sizeof *x, rows * columns, f) != rows * columns) return 1;
  prepare(x, rows);
  for (k = 0; k < 20; ++k) {
    const double start = now();
    double middle, end;
    for (r = 0; r < rows; ++r) one_row(x + r * columns, out + 2 * r);
    middle = now();
    all_rows(x, rows, out);
    end = now();
    if (middle - start < best_one) best_one = middle - start;
    if (end - middle < best_all) best_all = end - middle;
  }
  for (r = 0; r < rows; ++r) sum += out[2 * r];
  printf("{\"one\": %.17g, \"all\": %.17g, \"sum\": %.17g}\n", best_one, best_all, sum);
  return 0;
}
"""

NOTHING = "#include <stddef.h>\nvoid prepare(const double *rows, size_t count) { (void)rows; (void)count; }\n"
OURS = NOTHING + """
#include "tree.h"
void one_row(const double *row, double *out) { tree_predict(row, out); }
void all_rows(const double *rows, size_t count, double *out) { tree_predict_rows(rows, count, out); }
"""
M2CGEN = NOTHING + """
void score(double *input, double *output);
void one_row(const double *row, double *out) { score((double *)row, out); }
void all_rows(const double *rows, size_t count, double *out)
{
  size_t r;
  for (r = 0; r < count; ++r) score((double *)rows + r * COLUMNS, out + 2 * r);
}
"""
TL2CGEN = """
#include "header.h"
#include <stddef.h>
static union Entry *entries;
static const double *first;
void prepare(const double *rows, size_t count)
{
  size_t i;
  first = rows;
  entries = malloc(count * COLUMNS * sizeof *entries);
  for (i = 0; i < count * COLUMNS; ++i) entries[i].fvalue = rows[i];
}
void one_row(const double *row, double *out)
{
  out[0] = out[1] = 0;
  predict(entries + (row - first), 1, out);
}
void all_rows(const double *rows, size_t count, double *out)
{
  size_t r;
  for (r = 0; r < count; ++r) one_row(rows + r * COLUMNS, out + 2 * r);
}
"""


def run(*words, cwd=None, timeout=None):
    """Standard output and processor seconds of a command; None when it took too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, timeout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def draw(rows, seed=1, noise=0.3):
    draw = random.Random(seed)
    for _ in range(rows):
        x = [draw.gauss(0, 1) for _ in range(COLUMNS)]
        score = x[0] + x[1] * x[2] + (x[3] > 0.5) - abs(x[4]) + 0.5 * x[5] * x[6] + draw.gauss(0, noise)
        yield x, "yes" if score > -0.3 else "no"


def write_csv(path, rows):
    with open(path, "w") as file:
        file.write(",".join(f"x{i}" for i in range(COLUMNS)) + ",y\n")
        file.writelines(",".join(map(repr, x)) + f",{y}\n" for x, y in rows)


class Tree:
    """What the others need to know of a model file."""

    def __init__(self, path):
        model = json.loads(path.read_text())
        self.nodes = model["nodes"]
        self.names = [feature["name"] for feature in model["schema"]["features"]]

    def split(self, node):
        gate = node.get("gate")
        return gate and (self.names.index(gate["terms"][0]["value"]), gate["cut"], node["first"])

    @staticmethod
    def answer(node):
        return [weight / sum(node["sums"]) for weight in node["sums"]]


def m2cgen_code(tree):
    from m2cgen import ast
    from m2cgen.interpreters import CInterpreter

    sys.setrecursionlimit(100000)

    def build(i):
        node = tree.nodes[i]
        split = tree.split(node)
        if not split:
            return ast.VectorVal([ast.NumVal(value) for value in tree.answer(node)])
        column, cut, first = split
        test = ast.CompExpr(ast.FeatureRef(column), ast.NumVal(cut), ast.CompOpType.LTE)
        return ast.IfExpr(test, build(first), build(first + 1))

    return CInterpreter(function_name="score").interpret(build(0))


def tl2cgen_code(tree, folder):
    import tl2cgen
    from treelite.model_builder import Metadata, ModelBuilder, PostProcessorFunc, TreeAnnotation

    builder = ModelBuilder(
        threshold_type="float64", leaf_output_type="float64",
        metadata=Metadata(num_feature=COLUMNS, task_type="kMultiClf", average_tree_output=False, num_target=1,
                          num_class=[2], leaf_vector_shape=(1, 2)),
        tree_annotation=TreeAnnotation(num_tree=1, target_id=[0], class_id=[-1]),
        postprocessor=PostProcessorFunc(name="identity_multiclass"), base_scores=[0.0, 0.0])
    builder.start_tree()
    for i, node in enumerate(tree.nodes):
        builder.start_node(i)
        split = tree.split(node)
        if split:
            builder.numerical_test(feature_id=split[0], threshold=split[1], default_left=True, opname="<=",
                                   left_child_key=split[2], right_child_key=split[2] + 1)
        else:
            builder.leaf(tree.answer(node))
        builder.end_node()
    builder.end_tree()
    tl2cgen.generate_c_code(builder.commit(), dirpath=str(folder), params={})


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work

    def train(self, name, recipe, data):
        model = self.work / f"{name}.json"
        run(self.options.program, "train", data, "--target", "y", "--recipe", recipe, "--quiet", "-o", model)
        return model

    def folder(self, name):
        path = self.work / name
        path.mkdir(exist_ok=True)
        return path

    def compile(self, folder, source, limit=None):
        """Processor seconds; None when it took longer than the limit."""
        text, seconds = run(self.options.cc, "-O2", "-w", "-c", source, "-o", "code.o", cwd=folder, timeout=limit)
        return None if text is None else seconds

    def measure(self, folder, shim, rows):
        (folder / "shim.c").write_text(shim.replace("COLUMNS", str(COLUMNS)))
        (folder / "driver.c").write_text(DRIVER)
        run(self.options.cc, "-O2", "-w", "driver.c", "shim.c", "code.o", "-o", "bench", cwd=folder)
        runs = [json.loads(run(folder / "bench", rows, ROWS, COLUMNS)[0]) for _ in range(self.options.repeats)]
        return {"one": min(r["one"] for r in runs), "all": min(r["all"] for r in runs), "sum": runs[0]["sum"]}

    def ours(self, model, name):
        folder = self.folder(name)
        run(self.options.program, "export", model, "--to", "c", "--header", "--name", "tree", "-o", folder / "tree.c")
        return folder

    def size(self, folder):
        text, _ = run("size", folder / "code.o")
        return int(text.splitlines()[1].split()[3])  # code, constants and data


def per_second(seconds):
    return f"{ROWS / seconds / 1e6:.1f} million"


def hard_table(bench, data, rows):
    model = bench.train("depth10", "grow max-depth=10", data)
    tree = Tree(model)
    codes = {"Softwood": (bench.ours(model, "ours"), "tree.c", OURS)}
    folder = bench.folder("m2cgen")
    (folder / "m2cgen.c").write_text(m2cgen_code(tree))
    codes["m2cgen"] = (folder, "m2cgen.c", M2CGEN)
    folder = bench.folder("tl2cgen")
    tl2cgen_code(tree, folder)
    codes["tl2cgen"] = (folder, "main.c", TL2CGEN)
    lines, sums = [], set()
    for name, (folder, source, shim) in codes.items():
        bench.compile(folder, source)
        result = bench.measure(folder, shim, rows)
        sums.add(round(result["sum"], 6))
        lines.append([name, per_second(result["one"]), per_second(result["all"]), f"{bench.size(folder)} bytes"])
    if len(sums) != 1:
        sys.exit(f"the answers differ: {sums}")
    leaves = sum("gate" not in node for node in tree.nodes)
    return (f"A tree of depth 10 with {leaves} leaves, rows per second:",
            table_text(["code", "one row per call", "many rows per call", "object"], lines))


def soft_table(bench, data, rows):
    """Ours beside the library; few rows train the tree, because that takes long."""
    few = bench.work / "few.csv"
    write_csv(few, draw(1000))
    model = bench.train("soft", "grow-soft shape=full depth=6 terms=linear map=none leaves=constant", few)
    root = bench.train("root", "grow max-depth=0", data)
    folder = bench.ours(model, "soft")
    bench.compile(folder, "tree.c")
    result = bench.measure(folder, OURS, rows)

    def predict(path):
        words = [bench.options.program, "predict", path, data, "--proba", "--threads", "1", "-o", os.devnull]
        return min(run(*words)[1] for _ in range(3 * bench.options.repeats))

    library = max(predict(model) - predict(root), 1e-9)
    lines = [["exported C", per_second(result["one"]), per_second(result["all"])],
             ["the library", "-", per_second(library)]]
    return ("A soft tree of 64 leaves, logistic gates over all inputs, rows per second:",
            table_text(["code", "one row per call", "many rows per call"], lines))


def compile_table(bench, work):
    data = work / "noise.csv"
    write_csv(data, ((x, random.Random(repr(x)).choice("ny")) for x, _ in draw(80000, seed=2)))
    model = bench.train("large", f"grow max-leaves={LEAVES}", data)
    lines = []
    seconds = bench.compile(bench.ours(model, "large"), "tree.c")
    lines.append(["Softwood", f"{seconds:.2f} s", f"{bench.size(bench.work / 'large')} bytes"])
    folder = bench.folder("large-m2cgen")
    (folder / "m2cgen.c").write_text(m2cgen_code(Tree(model)))
    seconds = bench.compile(folder, "m2cgen.c", limit=bench.options.limit)
    lines.append(["m2cgen", f"over {bench.options.limit} s" if seconds is None else f"{seconds:.2f} s",
                  "-" if seconds is None else f"{bench.size(folder)} bytes"])
    leaves = sum("gate" not in node for node in Tree(model).nodes)
    return f"Compiling a tree of {leaves} leaves with -O2:", table_text(["code", "time", "object"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/softwood")
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="seconds that m2cgen's large tree may take to compile")
    parser.add_argument("--write-doc", action="store_true", help="put the tables into docs/evidence/benchmarks.md")
    options = parser.parse_args()
    options.program = options.program.resolve()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        drawn = list(draw(ROWS))
        write_csv(work / "rows.csv", drawn)
        rows = work / "rows.bin"
        rows.write_bytes(array.array("d", (value for x, _ in drawn for value in x)).tobytes())
        bench = Bench(options, work)
        version, _ = run(options.cc, "--version")
        parts = [f"{version.splitlines()[0]}, -O2. {machine_text(machine(), load)} Best of {options.repeats}."]
        for part in (hard_table(bench, work / "rows.csv", rows), soft_table(bench, work / "rows.csv", rows),
                     compile_table(bench, work)):
            parts += part
    text = "\n\n".join(parts)
    print(text)
    if options.write_doc:
        write_document("export", text)


if __name__ == "__main__":
    main()
