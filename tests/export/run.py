"""Runs exports of many models with the programs that they are for, and compares the answers.

run.py --program SOFTWOOD --models DIR --to FORMAT [--option=… …] [--only NAME …] [--every N]
Models are those of models.py. Prints a line per model that fails, and the largest difference of all.
Exit code 77 (skipped) when a program that the format needs is not there.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

from models import THRESHOLDS

SKIPPED = 77
REPORT = re.compile(r"(\d+) rows compared, (\d+) differ, largest difference (\S+)|the file is valid")


def check(given, model):
    rows = model.with_suffix(".csv")
    words = [given.program, "export", str(model), "--to", given.to, *given.option, "--threads", "1",
             "--check", str(rows), "-o", os.devnull]
    if model.stem in THRESHOLDS:
        words += ["--threshold", THRESHOLDS[model.stem]]
    return subprocess.run(words, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--to", required=True)
    parser.add_argument("--option", action="append", default=[], help="of export: --option=--float")
    parser.add_argument("--refuses", action="append", default=[],
                        help="a model that the format cannot express")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--every", type=int, default=1, help="every so many models only")
    parser.add_argument("--exact", action="append", default=[],
                        help="a model that must have no difference at all; 'all': every one")
    parser.add_argument("--least-models", type=int, default=1)
    parser.add_argument("--least-rows", type=int, default=1, help="that each model is compared on")
    given = parser.parse_args()
    models = sorted(given.models.glob("*.json"))
    if given.only:
        models = [model for model in models if model.stem in given.only]
    if len(models) < given.least_models:
        print(f"{given.models} has {len(models)} models", file=sys.stderr)
        return 1
    models = models[::given.every]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda model: check(given, model), models))
    failed, largest, compared, refused = 0, 0.0, 0, []
    for model, result in zip(models, results):
        if "the check needs the " in result.stderr:
            print("skipped: " + result.stderr.splitlines()[0])
            return SKIPPED
        if "cannot express" in result.stderr and result.returncode == 1:
            refused.append(model.stem)
            continue
        report = REPORT.search(result.stdout)
        difference = float(report.group(3) or 0) if report else 0.0
        exact = "all" in given.exact or model.stem in given.exact
        few = report and report.group(1) and int(report.group(1)) < given.least_rows
        if result.returncode != 0 or not report or few or (exact and difference != 0):
            failed += 1
            print(f"{model.stem}: code {result.returncode}\n{result.stdout}{result.stderr}")
            continue
        compared += int(report.group(1) or 0)
        largest = max(largest, difference)
    if sorted(refused) != sorted(set(given.refuses) & {model.stem for model in models}):
        print(f"refused are {sorted(refused)}, expected {sorted(given.refuses)}")
        failed += 1
    print(f"{given.to} {' '.join(given.option)}: {len(models)} models, {len(refused)} refused, "
          f"{compared} rows compared, largest difference {largest:g}, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
