import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import softwood

CLASSIFIERS = [name for name in softwood._ESTIMATORS if name.endswith("Classifier")]
REGRESSORS = [name for name in softwood._ESTIMATORS if name.endswith("Regressor")]

# Small enough for checks that fit dozens of times.
QUICK = {
    "SoftTree": {"depth": 1, "leaves": "constant", "terms": "linear", "map": "none", "decay": 0.001, "folds": 2},
    "EvolvedTree": {"generations": 20, "population": 6, "islands": 1},
    "AnnealedTree": {"patience": 3},
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
    return X, np.digitize(score, [50, 90]), score


@pytest.fixture(autouse=True)
def only_expected_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)
        yield
