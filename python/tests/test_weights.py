"""Weights that sum to 1, and limits in rows or shares."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from softwood import CartClassifier, SoftwoodWarning

LIMITS = [
    {"min_samples_leaf": 5},
    {"min_samples_leaf": 0.1},
    {"min_samples_split": 20},
    {"min_samples_split": 0.5},
    {"min_samples_split": 1.0},
    {"min_samples_leaf": 0.05, "min_samples_split": 40},
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_limits_do_not_depend_on_what_weights_sum_to(iris, limits):
    X, y = iris
    wanted = DecisionTreeClassifier(random_state=0, **limits).fit(X, y).get_n_leaves()
    for weights in (None, np.ones(150), np.full(150, 1 / 150), np.full(150, 1e-6)):
        tree = CartClassifier(ccp_alpha=0.0, **limits).fit(X, y, weights)
        assert tree.get_n_leaves() == wanted, weights


def test_boosting_with_a_limit(iris):
    X, y = iris
    tree = CartClassifier(max_depth=1, ccp_alpha=0.0, min_samples_leaf=5)
    peer = DecisionTreeClassifier(max_depth=1, min_samples_leaf=5)
    ours, theirs = (AdaBoostClassifier(one, n_estimators=20).fit(X, y).score(X, y) for one in (tree, peer))
    assert ours >= theirs - 0.02 > 0.9


def test_no_warning_of_what_is_taken_care_of(iris):
    X, y = iris
    with warnings.catch_warnings():
        warnings.simplefilter("error", SoftwoodWarning)
        CartClassifier().fit(X, y, np.full(150, 1 / 150))
