"""Grows scikit-learn's trees on generated numbers, and writes what shap's TreeExplainer says of some rows as records.

Usage: shap_values.py OUT.json
"""

import json
import pathlib
import sys

import numpy as np
import shap
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROWS, INPUTS, EXPLAINED, BACKGROUND = 400, 7, 12, 25


def data(seed):
    """Inputs of few different values, so that several rows lie on every side of a cut."""
    random = np.random.default_rng(seed)
    x = np.round(random.normal(size=(ROWS, INPUTS)) * 4) / 4
    score = x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * np.abs(x[:, 3]) + random.normal(size=ROWS) / 2
    return x, score


def record(name, model, x):
    tree = model.tree_
    explained, background = x[:EXPLAINED], x[EXPLAINED : EXPLAINED + BACKGROUND]
    values = {}
    for key, explainer in {
        "path_dependent": shap.TreeExplainer(model, feature_perturbation="tree_path_dependent"),
        "interventional": shap.TreeExplainer(model, background, feature_perturbation="interventional"),
    }.items():
        result = np.asarray(explainer.shap_values(explained, check_additivity=False))
        outputs = 1 if result.ndim == 2 else result.shape[2]
        values[key] = {
            "base_values": np.atleast_1d(explainer.expected_value).tolist(),
            "values": result.reshape(EXPLAINED, INPUTS, outputs).tolist(),
        }
    return {
        "name": name,
        "call": repr(model),
        "feature": tree.feature.tolist(),
        "threshold": tree.threshold.tolist(),
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "n_node_samples": tree.n_node_samples.tolist(),
        "value": tree.value[:, 0, :].tolist(),
        "explained": explained.tolist(),
        "background": background.tolist(),
        **values,
    }


def main():
    limits = {"max_depth": 6, "min_samples_leaf": 5, "random_state": 0}
    x, score = data(1)
    trees = [
        record("two classes", DecisionTreeClassifier(**limits).fit(x, score > 0.5), x),
        record("three classes", DecisionTreeClassifier(**limits).fit(x, np.digitize(score, [0, 1])), x),
        record("regression", DecisionTreeRegressor(**limits).fit(x, score), x),
    ]
    out = {"peer": "shap", "version": shap.__version__, "scikit-learn": sklearn.__version__, "trees": trees}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(out, separators=(",", ":"), allow_nan=False) + "\n")
    print(f"shap: {[len(tree['feature']) for tree in trees]} nodes")


if __name__ == "__main__":
    main()
