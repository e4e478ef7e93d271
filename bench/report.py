"""What run.py and growth.py share: calling softwood_bench, tables, and the document."""

import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bench/softwood_bench"
RESULTS = ROOT / "build/bench"
DOCUMENT = ROOT / "docs/evidence/benchmarks.md"


def softwood(item, **options):
    """One item in a process of its own; its JSON object, or {"error": ...}."""
    command = [str(PROGRAM), item]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    shown = " ".join(f"{name}={value}" for name, value in options.items() if name != "work")
    print(f"softwood: {item} {shown}", file=sys.stderr)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return {"error": f"exit status {done.returncode}"}
    return json.loads(done.stdout)


def best_of(results):
    """One object of several runs of an item: the fastest, with the largest peak memory."""
    failed = [result for result in results if "error" in result]
    if failed:
        return failed[0]
    best = dict(min(results, key=lambda result: result["seconds"]))
    best["peak_kib"] = max(result["peak_kib"] for result in results)
    best["all_seconds"] = [s for r in results for s in r.get("all_seconds", [r["seconds"]])]
    return best


def machine():
    model = platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30
    return {"processor": model, "cpus": os.cpu_count(), "memory_gib": round(memory, 1)}


def machine_text(facts, load):
    return (f"{facts['processor']}, {facts['cpus']} processors, {facts['memory_gib']} GiB; "
            f"load average before the run {load:.1f}.")


def duration(seconds):
    """Three digits and a unit that fits."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        value = seconds / size
        if value >= 0.9995 or unit == "us":
            digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
            return f"{value:.{digits}f} {unit}"


def table_text(head, rows):
    """A Markdown table whose columns are aligned also as plain text; numbers to the right."""
    right = [all(row[j][:1].isdigit() or row[j] in ("", "-") for row in rows)
             for j in range(len(head))]
    widths = [max(len(row[j]) for row in [head, *rows]) for j in range(len(head))]

    def line(cells):
        return "| " + " | ".join(cell.rjust(width) if r else cell.ljust(width)
                                 for cell, width, r in zip(cells, widths, right)) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if r else "-")
                          for width, r in zip(widths, right)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def write_document(marker, text):
    """Replaces what stands between <!-- marker --> and <!-- /marker --> in the document."""
    document = DOCUMENT.read_text()
    begin, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    before, rest = document.split(begin)
    _, after = rest.split(end)
    DOCUMENT.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def write_results(name, result):
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / name).write_text(json.dumps(result, indent=1) + "\n")
