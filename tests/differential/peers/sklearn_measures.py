"""Measures of scikit-learn on drawn answers, written as a record.

Usage: sklearn_measures.py OUT.json
"""

import json
import sys

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.tree import DecisionTreeRegressor

ROWS = 60


def drawn(random, classes, weighted):
    """Actual classes, probabilities with many ties, and weights."""
    actual = random.integers(0, classes, ROWS)
    raw = random.integers(1, 6, (ROWS, classes)) + 2 * (actual[:, None] == np.arange(classes))
    answers = raw / raw.sum(axis=1, keepdims=True)
    weights = random.integers(1, 5, ROWS) / 2 if weighted else np.ones(ROWS)
    return actual, answers, weights


def measured(actual, answers, weights):
    classes = answers.shape[1]
    predicted = answers.argmax(axis=1)  # the first of equals, as here
    figures = {
        "accuracy": metrics.accuracy_score(actual, predicted, sample_weight=weights),
        "balanced_accuracy": metrics.balanced_accuracy_score(actual, predicted, sample_weight=weights),
        "mcc": metrics.matthews_corrcoef(actual, predicted, sample_weight=weights),
        "logloss": metrics.log_loss(actual, answers, sample_weight=weights),
    }
    averages = {}
    for average in ("macro", "weighted"):
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(
            actual, predicted, average=average, sample_weight=weights, zero_division=0)
        averages[average] = {"precision": precision, "recall": recall, "f1": f1}
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        actual, predicted, labels=list(range(classes)), sample_weight=weights, zero_division=0)
    record = {
        "actual": actual.tolist(),
        "answers": answers.ravel().tolist(),
        "weights": weights.tolist(),
        "classes": classes,
        "figures": figures,
        "averages": averages,
        "per_class": {"precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(),
                      "support": support.tolist()},
    }
    if classes == 2:
        figures["auc"] = metrics.roc_auc_score(actual, answers[:, 1], sample_weight=weights)
        false_rate, true_rate, thresholds = metrics.roc_curve(
            actual, answers[:, 1], sample_weight=weights, drop_intermediate=False)
        record["roc"] = {"false_positive_rate": false_rate.tolist(), "true_positive_rate": true_rate.tolist(),
                         "threshold": thresholds[1:].tolist()}  # the first one is infinite
    else:
        # Weighted one against the rest for more classes is not what roc_auc_score offers.
        areas = [metrics.roc_auc_score(actual == c, answers[:, c], sample_weight=weights) for c in range(classes)]
        figures["auc"] = float(np.mean(areas))
    return record


def medians(random):
    """Answers of a tree by absolute error on weighted rows."""
    x, weights = random.normal(size=(ROWS, 2)), random.integers(1, 4, ROWS)
    y = np.exp(x[:, 0] + 0.5 * random.normal(size=ROWS))
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=3, random_state=0).fit(x, y, sample_weight=weights)
    return {"x": x.T.tolist(), "y": y.tolist(), "weights": weights.tolist(), "call": repr(tree),
            "answers": tree.predict(x).tolist()}


random = np.random.default_rng(7)
cases = [measured(*drawn(random, classes, weighted)) for classes in (2, 3, 4) for weighted in (False, True)]
with open(sys.argv[1], "w") as out:
    json.dump({"peer": "scikit-learn", "version": sklearn.__version__, "cases": cases, "medians": medians(random)}, out)
    out.write("\n")
