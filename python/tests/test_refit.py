"""A fit that does not come to its end leaves the estimator as it was."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import softwood
from softwood import CartClassifier, CartRegressor


def test_after_an_error(iris):
    X, y = iris
    tree = CartClassifier().fit(X[:, :2], y)
    before = tree.model_.to_text()
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ValueError, match="Negative"):
        tree.fit(frame, y, sample_weight=-np.ones(150))
    assert tree.n_features_in_ == 2 and not hasattr(tree, "feature_names_in_")
    assert tree.predict(X[:, :2]).shape == (150,)
    assert tree.model_.to_text() == before
    named = CartClassifier().fit(frame, y)
    with pytest.raises(ValueError):
        named.fit(X[:, :2], y, sample_weight=-np.ones(150))
    assert named.feature_names_in_.tolist() == list("abcd")
    assert named.predict(frame).shape == (150,)


def test_a_first_fit_that_fails_is_no_fit(iris):
    X, y = iris
    tree = CartClassifier()
    with pytest.raises(ValueError):
        tree.fit(X, y, sample_weight=-np.ones(150))
    assert not hasattr(tree, "n_features_in_")
    with pytest.raises(NotFittedError):
        tree.predict(X)


def test_after_an_interrupt(iris, monkeypatch):
    X, y = iris
    tree = CartClassifier().fit(X[:, :2], y)
    answers = tree.predict(X[:, :2])

    class Interrupt(softwood._functions.ProgressBar):
        def __call__(self, stage, activity, share):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(softwood._functions, "ProgressBar", Interrupt)
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(20000, 30)))
    wide.columns = [f"c{i}" for i in range(30)]
    tree.set_params(verbose=1, cv=200)
    with pytest.raises(KeyboardInterrupt):
        tree.fit(wide, rng.integers(0, 2, 20000))
    assert (tree.predict(X[:, :2]) == answers).all() and not hasattr(tree, "feature_names_in_")


def test_a_refit_with_other_columns(iris, diabetes):
    X, y = iris
    tree = CartClassifier().fit(pd.DataFrame(X, columns=list("abcd")), y)
    tree.fit(X[:, :3], y > 0)
    assert tree.n_features_in_ == 3 and not hasattr(tree, "feature_names_in_")
    assert tree.classes_.tolist() == [False, True] and tree.score(X[:, :3], y > 0) > 0.95
    regressor = CartRegressor().fit(*diabetes)
    assert regressor.fit(X, X[:, 0]).predict(X).shape == (150,)
