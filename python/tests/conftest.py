import signal
import os
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import softwood

# What is started in the background ignores the signal, and so would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)

CLASSIFIERS = [name for name in softwood._ESTIMATORS if name.endswith("Classifier")]
REGRESSORS = [name for name in softwood._ESTIMATORS if name.endswith("Regressor")]

# Small enough for checks that fit dozens of times.
QUICK = {
    "SoftTree": {"depth": 2, "leaves": "constant", "terms": "linear", "map": "none", "decay": 0.001, "folds": 2},
    "EvolvedTree": {"generations": 20, "population": 6, "islands": 1},
    "AnnealedTree": {"patience": 3},
    "AutoTree": {"hard": True, "max_leaf_nodes": 4},
}


def make(name, **parameters):
    """An estimator by its class name, with parameters that make it quick."""
    stem = name.removesuffix("Classifier").removesuffix("Regressor")
    return getattr(softwood, name)(**{**QUICK.get(stem, {}), **parameters})


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="session")
def exact():
    """Rows that single precision holds exactly, without tied splits: every value occurs once."""
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.permutation(400) / 8 for _ in range(5)]).astype(float)
    X += np.arange(5) * 1024
    score = X[:, 0] + 2 * (X[:, 1] - 1024) + rng.normal(0, 12, 400)
    # Classes by a tree, so that one split is the best of every node.
    a, b, c = X[:, 0], X[:, 1] - 1024, X[:, 2] - 2048
    classes = np.where(a <= 20, np.where(b <= 11, 0, 1), np.where(b <= 36, np.where(c <= 17, 2, 0), 1))
    return X, np.where((a > 40) & (c > 43), 2, classes), score


@pytest.fixture(autouse=True)
def only_expected_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)
        yield


@pytest.fixture(scope="session")
def program():
    found = os.environ.get("SOFTWOOD_PROGRAM")
    if not found:
        pytest.skip("SOFTWOOD_PROGRAM is not set")
    return found
