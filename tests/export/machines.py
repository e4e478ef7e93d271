"""Runs C exports on other processors, emulated by qemu: 32 bits, and the highest byte first.

machines.py --program SOFTWOOD --models DIR
The check of the C export is the usual one, with a cc in front of the usual one on the PATH. Exit
code 77 (skipped) when a cross compiler or qemu is not there.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
MACHINES = {
    "ARM, 32 bits": ("arm-linux-gnueabihf-gcc", "qemu-arm"),
    "s390x, highest byte first": ("s390x-linux-gnu-gcc", "qemu-s390x"),
}
MODELS = ["c45", "cart", "costs-soft", "extremes", "hostile", "leaf-linear", "leaf-naive-bayes", "levels-300",
          "missing-surrogate", "neighbours", "quadratic", "soft-levels", "soft-refined", "soft-refined-number"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", required=True)
    given = parser.parse_args()
    missing = [tool for tools in MACHINES.values() for tool in tools if not shutil.which(tool)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (scripts/setup)")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cc").symlink_to(HERE / "machine_cc")
        for name, (compiler, emulator) in MACHINES.items():
            print(name, flush=True)
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", MACHINE_CC=compiler,
                               MACHINE_RUN=emulator)
            only = [word for model in MODELS for word in ("--only", model)]
            for more in (["--exact", "all"], ["--option=--float"]):
                failed += subprocess.run([sys.executable, HERE / "run.py", "--program", given.program, "--models",
                                          given.models, "--to", "c", *more, *only], env=environment).returncode
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
