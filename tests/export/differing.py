"""Checks of exports notice every answer that differs.

differing.py --program SOFTWOOD
A compiler that runs the real one and then changes what the export answers stands first on the PATH.
"""

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

# Changes of an answers file; each must be noticed.
CHANGES = {
    "a digit of a probability": r"sed -i '7s/\(0\.[0-9]\{13\}\)[0-8]/\19/' answers.txt",
    "a class": "sed -i '3s/^0/1/;t;3s/^1/0/' answers.txt",
    "a row that is not there": "sed -i '$d' answers.txt",
    "no answers": ": > answers.txt",
    "no numbers": "sed -i '2s/.*/x y z/' answers.txt",
}

WRAPPER = """#!/bin/sh
{compiler} "$@" || exit
case "$*" in
  *"_driver.c"*) mv check real_check
    printf '#!/bin/sh\\n./real_check "$@"\\n%s\\n' "$CHANGE" > check; chmod +x check ;;
esac
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    program = os.path.abspath(parser.parse_args().program)
    compiler = shutil.which("cc")
    if compiler is None:
        print("skipped: there is no cc")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = "\n".join(f"{x},{'yes' if x % 3 else 'no'}" for x in range(40))
        (folder / "rows.csv").write_text("x,y\n" + rows + "\n")
        subprocess.run([program, "train", "rows.csv", "--recipe", "grow max-leaves=6 leaf=laplace", "--quiet", "-o",
                        "model.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (folder / "bin").mkdir()
        wrapper = folder / "bin/cc"
        wrapper.write_text(WRAPPER.format(compiler=compiler))
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
        command = [program, "export", "model.json", "--to", "c", "--check", "rows.csv", "-o", "model.c"]
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        for what, change in {"nothing": ":", **CHANGES}.items():
            (folder / "model.c").unlink(missing_ok=True)
            result = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path, "CHANGE": change},
                                    capture_output=True, text=True)
            expected = 0 if what == "nothing" else 1
            if result.returncode != expected or (folder / "model.c").exists() != (expected == 0):
                failed += 1
                print(f"{what}: code {result.returncode}\n{result.stdout}{result.stderr}")
    print(f"{len(CHANGES)} changes, {failed} not noticed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
