"""Every estimator passes every check of scikit-learn."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import softwood
from conftest import make


@parametrize_with_checks([make(name) for name in softwood._ESTIMATORS])
def test_scikit_learn(estimator, check):
    check(estimator)
