"""Compiles C and C++ exports as their users may: other compilers, other languages, no library.

compilers.py --program SOFTWOOD --models DIR
No compiler may warn, nothing may be left for a linker to find, and compilers that would compute
otherwise must stop. What is not installed is skipped by name.
"""

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = ["c45", "cart", "costs-soft", "hostile", "leaf-alone", "leaf-linear", "leaf-median", "leaf-naive-bayes",
          "levels-300", "missing-surrogate", "quadratic", "soft-levels", "soft-refined-number"]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]
C = ["-std=c99", "-O2", *WARNINGS, "-ffreestanding"]
COMPILERS = {
    "gcc": [["gcc", *C], ["g++", "-x", "c++", "-O1", *WARNINGS]],
    "clang-14": [["clang-14", *C], ["clang++-14", "-x", "c++", "-O1", *WARNINGS]],
}
CPP = {"gcc": ["g++"], "clang-14": ["clang++-14"]}
# Fused operations round once where the model rounds twice.
FUSING = ["-std=gnu17", "-O2", "-march=haswell"]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


class Test:
    def __init__(self, program, work):
        self.program, self.work, self.faults = program, work, []

    def expect(self, right, what, result):
        if not right:
            self.faults.append(f"{what}\n{result.stdout}{result.stderr}")

    def export(self, model, name, *options):
        path = self.work / name
        result = run(self.program, "export", model, *options, "-o", path)
        self.expect(result.returncode == 0, f"export {model.stem}", result)
        return path

    def compile(self, command, source, what, output="out.o"):
        result = run(*command, "-c", source, "-o", self.work / output)
        self.expect(result.returncode == 0, f"{what}: {' '.join(command)}", result)
        undefined = run("nm", "-u", self.work / output)
        if "-ffreestanding" in command:
            self.expect(not undefined.stdout.strip(), f"{what} asks for symbols", undefined)

    def c(self, model, family):
        for option in ([], ["--float"]):
            source = self.export(model, "tree.c", "--to", "c", "--header", *option)
            for command in COMPILERS[family]:
                self.compile(command, source, f"{model.stem} {option}")
            header = self.work / "header.c"
            header.write_text('#include "tree.h"\n#include "tree.h"\nint main(void) { return tree_INPUTS == 0; }\n')
            self.compile(COMPILERS[family][0], header, f"{model.stem} header")

    def cpp(self, model, family):
        self.export(model, "tree.hpp", "--to", "cpp")
        twice = self.work / "twice.cpp"
        twice.write_text('#include "tree.hpp"\n#include "tree.hpp"\n'
                         "tree::Answer answer(const tree::Row& row) { return tree::predict(row); }\n")
        self.compile([*CPP[family], "-std=c++17", "-O1", *WARNINGS], twice, f"{model.stem} C++")

    def refuses(self, source, command):
        result = run(*command, "-c", source, "-o", self.work / "out.o")
        self.expect(result.returncode != 0 and "#error" in result.stderr, f"accepted: {command}", result)

    def fuses(self, source, command):
        if run(*command, *FUSING, "-c", source, "-o", self.work / "out.o").returncode != 0:
            return  # another processor
        code = run("objdump", "-d", self.work / "out.o")
        self.expect("fmadd" not in code.stdout, f"fused operations: {command}", code)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", type=Path, required=True)
    given = parser.parse_args()
    families = [family for family in COMPILERS if shutil.which(family)]
    for family in set(COMPILERS) - set(families):
        print(f"skipped: {family} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        test = Test(given.program, Path(folder))
        for name in MODELS:
            for family in families:
                test.c(given.models / f"{name}.json", family)
                test.cpp(given.models / f"{name}.json", family)
        soft = test.export(given.models / "soft-refined.json", "soft.c", "--to", "c")
        for compiler in families:
            test.refuses(soft, [compiler, "-ffast-math"])
            test.refuses(soft, [compiler, "-ffinite-math-only"])
            test.fuses(soft, [compiler])
        if platform.machine() == "x86_64":
            test.refuses(soft, ["gcc", "-mfpmath=387"])
    for fault in test.faults:
        print(fault)
    print(f"{len(MODELS)} models, {len(families)} compilers, {len(test.faults)} failed")
    return bool(test.faults)


if __name__ == "__main__":
    sys.exit(main())
