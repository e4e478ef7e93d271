"""Runs the examples of a page that need other programs; exit code 77 (skipped) where one is not there.

guide.py --program SOFTWOOD PAGE
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = ["cc", "c++", "javac", "java", "node", "python3", "sqlite3", "dot"]
MODULES = ["numpy", "onnxruntime", "pypmml"]
RUNNER = Path(__file__).resolve().parent.parent / "cli/run.py"

missing = [name for name in PROGRAMS if shutil.which(name) is None]
for module in MODULES:
    if subprocess.run(["python3", "-c", f"import {module}"], capture_output=True).returncode != 0:
        missing.append(f"{module} of python3")
if missing:
    print("skipped: there is no " + ", ".join(missing))
    sys.exit(77)
os.execv(sys.executable, [sys.executable, str(RUNNER), *sys.argv[1:]])
