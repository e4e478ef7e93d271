#!/usr/bin/env python3
"""Tests of what experiments/peers.py keeps and fills in. Its libraries need not be there."""
import importlib.util
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

LIBRARIES = ("numpy", "sklearn", "sklearn.ensemble", "sklearn.metrics", "xgboost")


def load_peers():
    for name in LIBRARIES:
        try:
            found = name in sys.modules or importlib.util.find_spec(name) is not None
        except (ModuleNotFoundError, ValueError):
            found = False
        if not found:
            sys.modules[name] = mock.MagicMock(__name__=name, __path__=[])
    path = pathlib.Path(__file__).resolve().parent.parent / "experiments/peers.py"
    spec = importlib.util.spec_from_file_location("peers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Peers(unittest.TestCase):
    def test_keeps_lines_of_other_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "peers.csv"
            peers.replace_lines(path, [("auto", "iris", run, "forest-300", "error", run / 10) for run in (1, 2, 3)])
            peers.replace_lines(path, [("auto", "iris", 1, "forest-300", "error", 0.9)])
            lines = path.read_text(encoding="utf-8").splitlines()[1:]
        self.assertEqual(lines, ["auto,iris,1,forest-300,error,0.9", "auto,iris,2,forest-300,error,0.2",
                                 "auto,iris,3,forest-300,error,0.3"])

    def test_fills_cells_by_training_rows(self):
        if isinstance(peers.np, mock.MagicMock):
            self.skipTest("needs NumPy")
        np = peers.np
        x = np.array([[1.0], [3.0], [np.nan], [1000.0]])
        train = np.array([True, True, True, False])
        self.assertEqual(peers.filled_by(x, train)[2, 0], 2)
        empty = np.full((2, 1), np.nan)
        self.assertEqual(peers.filled_by(empty, np.array([True, False])).tolist(), [[0.0], [0.0]])


peers = load_peers()

if __name__ == "__main__":
    unittest.main()
