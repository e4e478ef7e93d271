#!/usr/bin/env python3
"""Measures how time grows with rows, columns and classes; prints one table.

Usage: python3 bench/growth.py [--largest ROWS] [--repeats N] [--threads N] [--write-doc]

Needs build/release/bench/softwood_bench only: data are generated in memory. The exponent between
neighbours is log(time ratio) / log(size ratio): 1 is linear growth. The largest one allowed is that
of n log n for rows and 1 for columns and classes. Results go to build/bench/growth.json.
"""

import argparse
import math
import os
import pathlib
import sys

from report import (PROGRAM, best_of, duration, machine, machine_text, softwood, table_text,
                    write_document, write_results)

# What is measured, and the most rows it is measured with.
ITEMS = {"fit_depth10": 10 ** 7, "fit_unlimited": 10 ** 7, "fit_reg_depth10": 10 ** 6,
         "fit_mae_depth3": 10 ** 6, "binned_depth10": 10 ** 7, "predict": 10 ** 7}
REGRESSION = {"fit_reg_depth10", "fit_mae_depth3"}  # without classes
BASE = {"rows": 100_000, "columns": 20, "classes": 2}


def series(item, largest):
    """(what grows, its sizes)."""
    rows = [size for size in (10 ** k for k in range(4, 8)) if size <= min(largest, ITEMS[item])]
    classes = [] if item in REGRESSION else [("classes", [2, 20, 200])]
    return [("rows", rows), ("columns", [20, 200]), *classes]


def needed_gib(item, rows, columns, classes):
    """Columns, sorted lists and the growing tree; the histograms of a level of binned nodes."""
    cells = rows * columns * 24
    if item.startswith("binned"):
        cells += min(rows, 1024) * 256 * columns * classes * 8
    return cells / 2 ** 30


def available_gib():
    try:
        for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 2 ** 20
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30


def allowed_exponent(what, size, before):
    if what != "rows":
        return 1.0
    return math.log(size * math.log(size) / (before * math.log(before))) / math.log(size / before)


def judge(what, runs):
    """The runs of one series with exponents; `runs` are (size, result) pairs."""
    entries, before = [], None
    for size, result in runs:
        entry = {"what": what, "size": size, "result": result}
        if before and "error" not in result:
            growth = math.log(result["seconds"] / before[1]["seconds"])
            entry["exponent"] = growth / math.log(size / before[0])
            entry["allowed"] = allowed_exponent(what, size, before[0])
            entry["reached"] = entry["exponent"] <= entry["allowed"]
        before = (size, result) if "error" not in result else None
        entries.append(entry)
    return entries


def cells(item, entry):
    result = entry["result"]
    row = [item, entry["what"], f"{entry['size']}"]
    if "error" in result:
        return [*row, *["-"] * 4, f"no: {result['error']}"]
    row += [duration(result["seconds"]), f"{result['peak_kib'] / 1024:.0f}"]
    if "exponent" not in entry:
        return [*row, "-", "-", ""]
    # What is allowed is rounded down and what was measured up, so that both agree with the verdict.
    return [*row, f"{math.ceil(entry['exponent'] * 100) / 100:.2f}",
            f"{math.floor(entry['allowed'] * 100) / 100:.2f}", "yes" if entry["reached"] else "no"]


def main():
    parser = argparse.ArgumentParser(description="Measures growth of time with size.")
    parser.add_argument("--largest", type=int, default=10 ** 7, help="most rows")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write-doc", action="store_true", help="put the table in the document")
    args = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit("softwood_bench is not built: make bench")

    load = os.getloadavg()[0]
    result = {"machine": machine(), "load": load, "threads": args.threads, "items": {}}
    rows = []
    for item in ITEMS:
        result["items"][item] = []
        for what, sizes in series(item, args.largest):
            runs = []
            for size in sizes:
                options = {**BASE, what: size, "threads": args.threads}
                # Long runs vary less than short ones, and take long.
                repeats = 1 if size == 10 ** 7 and item.startswith("fit") else args.repeats
                if needed_gib(item, *(options[name] for name in BASE)) > available_gib():
                    runs.append((size, {"error": "too little memory"}))
                else:
                    runs.append((size, best_of([softwood(item, **options, reps=1)
                                                for _ in range(repeats)])))
            entries = judge(what, runs)
            result["items"][item] += entries
            rows += [cells(item, entry) for entry in entries]
            write_results("growth.json", result)
    head = ["work", "grows", "to", "time", "MiB", "exponent", "allowed", "reached"]
    about = (f"{args.threads} thread{'s' * (args.threads != 1)}, otherwise {BASE['rows']} rows, "
             f"{BASE['columns']} columns, {BASE['classes']} classes; "
             f"{machine_text(result['machine'], load)} Best of {args.repeats}.")
    text = f"{about}\n\n{table_text(head, rows)}"
    print(text)
    if args.write_doc:
        write_document("growth", text)


if __name__ == "__main__":
    main()
