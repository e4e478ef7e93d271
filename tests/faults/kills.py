#!/usr/bin/env python3
"""Kills the program (SIGKILL) at random moments: outputs are as they were or whole, the next run leaves nothing else,
and a checkpoint goes on to the same model.

Usage: kills.py --program PROGRAM [--kills N] [--seed N] [unittest's arguments]
"""
import argparse
import random
import shutil
import subprocess
import sys
import time
import unittest

from verbs import Folder, Verb, contents

OLD = b"of an earlier run"
EVOLVE = "evolve population=40 generations=1500 patience=1500"
given = None

CASES = [
    Verb("train", ["train", "rows.csv", "--quiet", "-o", "out.json"], ["rows.csv"], ["out.json"]),
    Verb("train with a checkpoint",
         ["train", "iris.csv", "--quiet", "--recipe", EVOLVE, "--checkpoint", "state", "-o", "out.json"],
         ["iris.csv"], ["out.json", "state"]),
    Verb("train of auto with a checkpoint",
         ["train", "board.csv", "--quiet", "--method", "auto", "--set", "auto.hard=yes", "--set", "auto.max-leaves=8",
          "--checkpoint", "state", "-o", "out.json"], ["board.csv"], ["out.json", "state"]),
    Verb("train of a soft tree with a checkpoint",
         ["train", "iris.csv", "--quiet", "--recipe", "grow-soft shape=full steps=300", "--checkpoint", "state", "-o",
          "out.json"], ["iris.csv"], ["out.json", "state"]),
    Verb("train of soft-refined with a checkpoint",
         ["train", "board.csv", "--quiet", "--method", "soft-refined", "--set", "grow-soft.steps=200", "--checkpoint",
          "state", "-o", "out.json"], ["board.csv"], ["out.json", "state"]),
    Verb("predict", ["predict", "rows.json", "rows.csv", "--quiet", "--proba", "--path", "-o", "out.csv"],
         ["rows.csv", "rows.json"], ["out.csv"]),
    Verb("rework", ["rework", "rows.json", "rows.csv", "--quiet", "--recipe", "prune by=cost-complexity", "-o",
                    "out.json"], ["rows.csv", "rows.json"], ["out.json"]),
    Verb("export", ["export", "rows.json", "--to", "c", "--check", "iris.csv", "-o", "out.c"],
         ["iris.csv", "rows.json"], ["out.c"]),
    Verb("report", ["report", "rows.json", "rows.csv", "--quiet", "-o", "out.html"], ["rows.csv", "rows.json"],
         ["out.html"]),
    Verb("cv", ["cv", "rows.csv", "--quiet", "--folds", "3"], ["rows.csv"], []),
    Verb("cv with a checkpoint", ["cv", "rows.csv", "--quiet", "--folds", "3", "--checkpoint", "state"], ["rows.csv"],
         ["state"]),
]


class Kills(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder = Folder(given.program)
        # Files for temporary files of its own, so that what is left there shows.
        cls.temporary = folder.path / "temporary"
        cls.temporary.mkdir()
        folder.environment["TMPDIR"] = str(cls.temporary)
        lines = (folder.inputs / "iris.csv").read_text().splitlines()
        draw = random.Random(1)
        rows = [f"{draw.gauss(5.8, 0.8):.3f},{draw.gauss(3, 0.4):.3f},{draw.gauss(3.7, 1.7):.3f},"
                f"{draw.gauss(1.2, 0.7):.3f},{draw.choice(['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])}"
                for _ in range(20000)]
        (folder.inputs / "rows.csv").write_text("\n".join([lines[0], *rows]) + "\n")
        folder.run(["data", "generate", "chessboard", "side=2", "rows=400", "-o", "board.csv"], folder.inputs)
        folder.run(["train", "rows.csv", "--quiet", "--recipe", "grow max-leaves=200", "-o", "rows.json"],
                   folder.inputs)

    @classmethod
    def tearDownClass(cls):
        cls.folder.close()

    def test_killed_at_any_moment(self):
        draw = random.Random(given.seed)
        counts = {}
        for number, verb in enumerate(CASES):
            kills = (given.kills + number) // len(CASES)
            with self.subTest(verb=verb.name):
                counts[verb.name] = self.kill(verb, kills, draw)
        for name, (killed, finished) in counts.items():
            print(f"{name}: {killed} killed, {finished} had ended before")
        self.assertEqual(sum(killed for killed, _ in counts.values()), given.kills)

    def kill(self, verb, kills, draw):
        whole, seconds = self.undisturbed(verb)
        place = self.folder.fresh(verb, OLD)
        counts = [0, 0]
        # What ends before it is killed does not count; the bound is for a program that can't be killed.
        for _ in range(20 * kills + 20):
            if counts[0] == kills:
                break
            running = subprocess.Popen([self.folder.program, *verb.words], cwd=place, env=self.folder.environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, 1.1 * seconds))
            running.kill()
            killed = running.wait() == -9
            counts[0 if killed else 1] += 1
            seconds *= 1 if killed else 0.8  # of a machine that is less busy now
            if not killed:  # what is finished would leave no time to be killed in
                (place / "state").unlink(missing_ok=True)
            for name in verb.outputs:
                if name != "state":
                    self.assertIn((place / name).read_bytes(), (OLD, whole[name]), name)
        done = self.folder.run(verb.words, place)
        self.assertEqual(done.returncode, 0)
        found = contents(place)
        found.pop("state", None)
        whole.pop("state", None)
        self.assertEqual(set(found), set(whole))
        for name, text in whole.items():
            self.assertTrue(found[name] == text, f"{name} differs")
        self.assertEqual(sorted(path.name for path in self.temporary.iterdir()), [])
        shutil.rmtree(place)
        return counts

    def undisturbed(self, verb):
        place = self.folder.fresh(verb)
        began = time.monotonic()
        self.folder.run(verb.words, place)
        seconds = time.monotonic() - began
        whole = contents(place)
        shutil.rmtree(place)
        return whole, seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    given, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
