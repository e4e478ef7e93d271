#!/usr/bin/env python3
"""Compares what a method of two programs, or two methods of one, answer for rows that neither saw.

    experiments/paired.py --data ../shared/data --first OLD/softwood --second build/release/softwood \\
        --first-recipe soft-refined --second-recipe soft-refined --sets pima,magic --most-rows 4500

The rows are those that no published test part has: of a set with splits (SPLITS/NAME.csv, a column for each run, 0 for
the test rows) the others; of each other set two thirds, drawn by --seed. Of these two thirds train and one third
judges. Prints the mean loss (log-loss; squared error as a share of the variance), errors and CPU seconds of both, the
mean of the paired differences (second minus first) with its standard error, and the wins.
"""

import argparse
import csv
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, rows


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def inner_rows(data, name, seed):
    """Header and rows that have no part in a published test."""
    header, rows = read(data / f"{name}.csv")
    splits = data / "splits" / f"{name}.csv"
    if splits.exists():
        _, parts = read(splits)
        return header, [row for row, part in zip(rows, parts, strict=True) if part[0] != "0"]
    random.Random(f"test rows of {name} {seed}").shuffle(rows)
    return header, rows[len(rows) // 3:]


def run(command):
    """CPU seconds of the program."""
    before = os.times()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return after.children_user - before.children_user + after.children_system - before.children_system


def losses_of(folder, target, rows):
    """Of each row the loss, and whether the class is wrong."""
    header, answers = read(folder / "answers.csv")
    probabilities = {name.removeprefix("proba_"): i for i, name in enumerate(header) if name.startswith("proba_")}
    if probabilities:
        own = [max(1e-6, float(answer[probabilities[row[target]]])) if row[target] in probabilities else 1e-6
               for answer, row in zip(answers, rows, strict=True)]
        return ([-math.log(p) for p in own],
                [answer[header.index("prediction")] != row[target] for answer, row in zip(answers, rows, strict=True)])
    numbers = [float(row[target]) for row in rows]
    variance = statistics.pvariance(numbers)
    return [(float(answer[0]) - y) ** 2 / variance for answer, y in zip(answers, numbers, strict=True)], []


def task_of(targets):
    """More than ten different numbers are no classes."""
    try:
        return "regression" if len({float(text) for text in targets}) > 10 else "classification"
    except ValueError:
        return "classification"


def fitted(program, recipe, folder, task, seed):
    how = "--recipe" if " " in recipe else "--method"
    seconds = run([program.absolute(), "train", folder / "train.csv", how, recipe, "-o", folder / "model.json", "--quiet",
                   "--seed", seed, "--task", task])
    run([program.absolute(), "predict", folder / "model.json", folder / "judge.csv", "-o", folder / "answers.csv", "--quiet",
         *(["--proba"] if task == "classification" else [])])
    return seconds


def compare(options, name, seed, folder):
    header, rows = inner_rows(options.data, name, seed)
    random.Random(f"{name} {seed}").shuffle(rows)
    rows = rows[:options.most_rows]
    cut = len(rows) * 2 // 3
    write(folder / "train.csv", header, rows[:cut])
    write(folder / "judge.csv", header, rows[cut:])
    target = len(header) - 1
    task = task_of([row[target] for row in rows])
    figures = []
    for program, recipe in ((options.first, options.first_recipe), (options.second, options.second_recipe)):
        seconds = fitted(program, recipe, folder, task, seed)
        figures.append((*losses_of(folder, target, rows[cut:]), seconds))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--first", type=pathlib.Path, required=True)
    parser.add_argument("--second", type=pathlib.Path, required=True)
    parser.add_argument("--first-recipe", default="soft-refined")
    parser.add_argument("--second-recipe", default="soft-refined")
    parser.add_argument("--sets", required=True, type=lambda text: text.split(","))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--most-rows", type=int)
    options = parser.parse_args()
    print(f"{'set':22} {'loss':>8} {'loss':>8} {'difference':>11} {'error':>8} {'errors':>15} {'CPU seconds':>15}")
    shares, ratios, wins = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets:
            for seed in range(1, options.seeds + 1):
                first, second = compare(options, name, seed, pathlib.Path(folder))
                gaps = [b - a for a, b in zip(first[0], second[0], strict=True)]
                means = [statistics.mean(losses) for losses in (first[0], second[0])]
                error = statistics.stdev(gaps) / math.sqrt(len(gaps))
                wrong = " ".join(f"{statistics.mean(w):7.4f}" if w else "      -" for w in (first[1], second[1]))
                print(f"{name:22} {means[0]:8.4f} {means[1]:8.4f} {means[1] - means[0]:+11.4f} {error:8.4f} "
                      f"{wrong} {first[2]:7.2f} {second[2]:7.2f}", flush=True)
                shares.append((means[1] - means[0]) / means[0])
                ratios.append(math.log(second[2] / first[2]))
                wins += means[1] < means[0]
    count = len(shares)
    error = statistics.stdev(shares) / math.sqrt(count) if count > 1 else float("nan")
    print(f"second ahead on {wins} of {count}; difference as a share of the first's loss {statistics.mean(shares):+.4f} "
          f"± {error:.4f}, median {statistics.median(shares):+.4f}; CPU {math.exp(statistics.mean(ratios)):.3f} of the "
          "first's (geometric mean)")


if __name__ == "__main__":
    main()
