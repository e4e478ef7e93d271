#!/usr/bin/env python3
"""Measures how long Ctrl-C takes in Python, in every stage and while data are prepared.

    make python
    PYTHONPATH=build/release/python build/python-env/bin/python bench/interrupt.py [--rows 1000000]

For each case a training is interrupted again and again, later each time, until it ends before the
signal. Printed are the longest time from the signal to KeyboardInterrupt, the processor's time in it
(which other programs on the machine do not change), and where the training was.
"""

import argparse
import os
import signal
import threading
import time
import warnings

import numpy as np

import softwood
import softwood._functions

# Recipe, and the share of the rows that it gets: methods that need minutes for 100 000 rows have fewer.
CASES = {
    "grow": ("grow", 1),
    "grow, binned": ("grow search=binned", 1),
    "grow, gain ratio": ("grow criterion=gain-ratio", 1),
    "grow, conditional inference": ("grow split=conditional-inference", 1),
    "grow, linear discriminants": ("grow split=linear-discriminant", 1),
    "grow, oblique": ("grow split=oblique restarts=20", 1),
    "grow, quadratic": ("grow split=quadratic", 1),
    "grow, omnivariate": ("grow split=omnivariate", 0.1),
    "grow, ridge leaves": ("grow min-leaf=50 leaf=logistic", 0.1),
    "prune": ("grow | prune", 1),
    "prune, reduced error": ("grow | prune by=reduced-error", 1),
    "prune, pessimistic": ("grow | prune by=pessimistic", 1),
    "soften, annealing": ("grow max-depth=6 | soften by=anneal", 0.1),
    "soften, intervals": ("grow max-depth=10 | soften by=interval", 1),
    "soften, gradient": ("grow max-depth=6 | soften by=gradient", 1),
    "refine, gradient": ("grow max-depth=6 | refine by=gradient", 1),
    "refine, alternating": ("grow max-depth=6 | refine by=alternating", 1),
    "grow-soft": ("grow-soft shape=full depth=4", 1),
    "grow-soft, published": ("grow-soft", 0.1),
    "evolve": ("evolve", 1),
}


def make_data(rows, columns=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 1, rows) > 0, "yes", "no")
    return {f"x{i}": np.ascontiguousarray(X[:, i]) for i in range(columns)}, y


class LastSeen(softwood._functions.ProgressBar):
    """Keeps what the training says that it does."""

    place = "before the first stage"

    def __call__(self, stage, activity, share):
        LastSeen.place = f"{stage}: {activity}" if activity else stage


def interrupt_after(delay, work):
    """(processor's seconds and seconds from the signal to KeyboardInterrupt, where); None where the
    work ended before."""
    sent = []

    def send():
        sent.append((time.process_time(), time.perf_counter()))
        os.kill(os.getpid(), signal.SIGINT)

    LastSeen.place = "before the first stage"
    timer = threading.Timer(delay, send)
    try:
        timer.start()
        work()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        cpu, wall = sent[0]
        return time.process_time() - cpu, time.perf_counter() - wall, LastSeen.place
    return None


def longest(work, most_delay):
    found, delay = [], 0.05
    while delay < most_delay:
        result = interrupt_after(delay, work)
        softwood._core.wait_for_abandoned()
        if result is None:
            break
        found.append((*result, delay))
        delay *= 1.6
    return max(found, default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--longest", type=float, default=30, help="seconds after which no later signal is tried")
    parser.add_argument("--only", help="cases whose name contains this")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    softwood._functions.ProgressBar = LastSeen
    data, y = make_data(arguments.rows)
    print(f"{arguments.rows} x {len(data)} numbers, {arguments.threads} thread(s)")
    print(f"{'case':28} {'rows':>8} {'seconds':>8} {'CPU':>6}  at")
    for name, (recipe, share) in CASES.items():
        if arguments.only and arguments.only not in name:
            continue
        rows = max(int(arguments.rows * share), 1000)
        part = {key: cells[:rows] for key, cells in data.items()}

        def work(part=part, target=y[:rows], recipe=recipe):
            softwood.train(part, target, recipe=recipe, threads=arguments.threads, verbose=1)

        result = longest(work, arguments.longest)
        told = "ended before the first signal" if result is None else f"{result[1]:8.2f} {result[0]:6.2f}  {result[2]}, {result[3]:.2f} s after the start"
        print(f"{name:28} {rows:8} {told}", flush=True)


if __name__ == "__main__":
    main()
