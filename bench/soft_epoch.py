#!/usr/bin/env python3
"""One epoch of a soft tree: Softwood, and the same model in PyTorch, in turns; prints one table.

Usage: build/peers-env/bin/python bench/soft_epoch.py [--repeats N] [--write-doc]

Needs build/release/bench/softwood_bench and PyTorch (`make bench-soft` installs and builds both). The tree is
full, of depth 5, with logistic gates over all inputs and constant leaves; the data have two classes and
the size of MAGIC: 19020 rows, 10 inputs. An epoch is one pass in batches of 128 rows, each with a forward and a
backward pass and a step of Adam. PyTorch uses two threads, Softwood one. Further lines show how our time grows with
rows and inputs. Times are processor-independent only as ratios; the best of the repeats counts.
"""

import argparse
import json
import os
import subprocess
import sys
import time

from report import best_of, duration, machine, machine_text, softwood, table_text, write_document

ROWS, COLUMNS, DEPTH, BATCH, PASSES = 19020, 10, 5, 128, 3


def torch_epoch():
    """Seconds of an epoch; the level below takes the shares of the level above times the gates."""
    import torch

    torch.set_num_threads(2)
    torch.manual_seed(1)
    gates = 2 ** DEPTH - 1
    x = torch.randn(ROWS, COLUMNS)
    y = (x[:, 0] + x[:, 1] > 0).float()
    weight = torch.nn.Parameter(torch.randn(COLUMNS, gates) / COLUMNS ** 0.5)
    constant = torch.nn.Parameter(torch.zeros(gates))
    leaves = torch.nn.Parameter(0.1 * torch.randn(2 ** DEPTH))
    adam = torch.optim.Adam([weight, constant, leaves], lr=0.01, betas=(0.9, 0.99))
    loss_of = torch.nn.BCEWithLogitsLoss()

    def outputs(rows):
        share = torch.ones(len(rows), 1)
        gate = torch.sigmoid(torch.addmm(constant, rows, weight))
        for level in range(DEPTH):
            here = gate[:, 2 ** level - 1:2 ** (level + 1) - 1]
            left = share * here
            share = torch.stack((left, share - left), 2).reshape(len(rows), -1)
        return share @ leaves

    def epoch():
        order = torch.randperm(ROWS)
        for first in range(0, ROWS, BATCH):
            batch = order[first:first + BATCH]
            adam.zero_grad()
            loss_of(outputs(x[batch]), y[batch]).backward()
            adam.step()

    epoch()
    start = time.perf_counter()
    for _ in range(PASSES):
        epoch()
    return {"seconds": (time.perf_counter() - start) / PASSES, "version": torch.__version__}


def in_process():
    """The epoch of PyTorch in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--torch"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--write-doc", action="store_true", help="put the table into docs/evidence/benchmarks.md")
    options = parser.parse_args()
    if options.torch:
        print(json.dumps(torch_epoch()))
        return
    load = os.getloadavg()[0]
    sizes = [(ROWS, COLUMNS), (10 * ROWS, COLUMNS), (ROWS, 10 * COLUMNS)]
    ours, theirs = {size: [] for size in sizes}, []
    for _ in range(options.repeats):
        for size in sizes:
            ours[size].append(softwood("soft_epoch", rows=size[0], columns=size[1], reps=2))
        theirs.append(in_process())
    best = {size: best_of(results) for size, results in ours.items()}
    peer = min(theirs, key=lambda result: result["seconds"])
    first = best[sizes[0]]["seconds"]
    lines = [[f"{rows}", f"{columns}", duration(best[rows, columns]["seconds"]),
              duration(peer["seconds"]) if (rows, columns) == sizes[0] else "-",
              f"{peer['seconds'] / first:.1f}" if (rows, columns) == sizes[0] else "-",
              f"{best[rows, columns]['seconds'] / first:.1f}"] for rows, columns in sizes]
    text = "\n\n".join([
        f"PyTorch {peer['version']}, two threads; Softwood, one. {machine_text(machine(), load)} "
        f"Best of {options.repeats}.",
        table_text(["rows", "inputs", "ours", "PyTorch", "PyTorch : ours", "ours : first line"], lines)])
    print(text)
    if options.write_doc:
        write_document("soft-epoch", text)


if __name__ == "__main__":
    main()
