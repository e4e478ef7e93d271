#!/usr/bin/env python3
"""Tests of the check of the source tree: each rule refuses what it forbids and nothing else."""
import pathlib
import tempfile
import unittest

import architecture


def faults(**files):
    """What the check says of a repository with these files, by path."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return architecture.check(root)


class Architecture(unittest.TestCase):
    def refuses(self, name, code, fault):
        self.assertEqual(faults(**{name: code}), [fault])

    def allows(self, name, code):
        self.assertEqual(faults(**{name: code}), [])

    def test_layers(self):
        self.allows("src/tree/a.cpp", '#include "data/table.h"\n#include "softwood/error.h"\n#include <vector>\n')
        self.refuses("src/data/a.cpp", '\n#include "tree/tree.h"\n', "src/data/a.cpp:2: data may not include tree/tree.h")
        self.refuses("src/tree/a.cpp", '#include "tree.h"\n', 'src/tree/a.cpp:1: include by the path from src/: "tree.h"')
        self.refuses("src/misc/a.cpp", "", "src/misc/a.cpp: misc is not a layer")

    def test_stages(self):
        self.allows("src/stages/grow/a.cpp", '#include "stages/recipe.h"\n#include "stages/grow/split.h"\n')
        self.allows("src/stages/tables.cpp", '#include "stages/grow/grow.h"\n')
        self.refuses("src/stages/prune/a.cpp", '#include "stages/grow/grow.h"\n',
                     "src/stages/prune/a.cpp:1: stage prune may not include stage grow")

    def test_gates(self):
        look = "src/{}:1: only tree/gates looks into a gate"
        for code in ("const GateKind& kind = gate.kind();\n", '#include "tree/gates/gate_kind.h"\n'):
            self.allows("src/tree/gates/score.cpp", code)
            self.refuses("src/tree/tree.cpp", code, look.format("tree/tree.cpp"))

    def test_links(self):
        self.allows("src/lower/a.cpp", "switch (form) { case LinkForm::ramp: break; }\nlink = LinkForm::ramp;\n")
        self.allows("src/lower/a.cpp", "return link.form == LinkForm::step;\n")
        for code in ("if (form == LinkForm::ramp) f();", "if (l != gradient::SoftLink::logistic) f();",
                     "if (LinkForm::ramp == form) f();"):
            self.refuses("src/gradient/a.cpp", code, "src/gradient/a.cpp:1: ask a link by a switch")

    def test_prints(self):
        for code in ("std::cout << 1;", "fmt::print(stderr, \"\");", "printf(text);", "write(stdout);"):
            self.allows("src/cli/a.cpp", code)
            self.refuses("src/use/a.cpp", code, "src/use/a.cpp:1: only cli prints")

    def test_threads(self):
        for code in ("#include <thread>\n", "#include <tbb/task_arena.h>\n", "std::jthread t;", "tbb::parallel_for(f);"):
            self.allows("src/base/parallel.cpp", code)
            self.refuses("src/tree/a.cpp", code, "src/tree/a.cpp:1: only base/parallel knows threads")

    def test_files(self):
        for code in ("#include <fstream>\n", "fopen(name);"):
            for name in ("cli/a.cpp", "study/files.cpp", "api/a.cpp", "reproduce/a.cpp", "data/readers/csv.cpp"):
                self.allows("src/" + name, code)
            self.refuses("src/data/a.cpp", code,
                         "src/data/a.cpp:1: only cli, reproduce, api, study and data/readers open files")

    def test_words_of_the_command_line(self):
        for code in ('f("use --seed");\n', 'f(R"(use\n--seed)");\n'):
            self.allows("src/cli/a.cpp", code)
            line = code.count("\n")
            self.refuses("src/study/a.cpp", code, f"src/study/a.cpp:{line}: only cli knows words of the command line")
        self.allows("src/study/a.cpp", "--count; // as --seed does\n")

    def test_comments_and_literals_are_no_code(self):
        self.allows("src/use/a.cpp", '// std::cout\n/* tbb:: */ f("std::cout", \'"\', 1\'000); g("GateKind");\n')
        self.refuses("src/use/a.cpp", "f('\"'); std::cout;", "src/use/a.cpp:1: only cli prints")

    def test_what_is_installed(self):
        self.allows("include/softwood/a.h", '#include "softwood/error.h"\n')
        self.refuses("include/softwood/a.h", '#include "tree/tree.h"\n',
                     "include/softwood/a.h:1: tree/tree.h is not installed")

    def test_binding(self):
        self.allows("python/binding/a.cpp", '#include "softwood/model.h"\n#include "binding.h"\n')
        self.allows("python/binding/program.cpp", '#include "cli/program.h"\n')
        self.refuses("python/binding/a.cpp", '#include "tree/tree.h"\n',
                     "python/binding/a.cpp:1: the binding uses include/softwood alone")

    def test_length(self):
        self.allows("bench/a.py", "\n" * architecture.MAX_LINES)
        self.refuses("bench/a.py", "\n" * (architecture.MAX_LINES + 1), "bench/a.py: 601 lines, at most 600")


if __name__ == "__main__":
    unittest.main()
