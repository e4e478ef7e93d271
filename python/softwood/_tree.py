"""The tree of a model, as arrays and as a table."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from softwood import _core
from softwood._errors import Error

# Those that scikit-learn's tree has, for trees whose splits are all thresholds of one input.
_THRESHOLD_ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
)


class Tree:
    """The nodes of a tree: the root is 0, children come after their parents.

    Trees whose splits are all thresholds of one input have the arrays of scikit-learn's tree:
    children_left, children_right, feature, threshold, value, impurity, n_node_samples,
    weighted_n_node_samples. `to_frame` is a table of the nodes of any tree.
    """

    def __init__(self, model: _core.TreeModel, criterion: str = "auto", samples=None, columns=None):
        self._model = model
        self._criterion = criterion
        self._samples = samples  # rows by node, where they do not weigh 1 each
        self._columns = columns  # of the model's inputs among those of X; None: the same

    @cached_property
    def _arrays(self) -> dict[str, np.ndarray]:
        return self._model.node_arrays()

    @cached_property
    def _thresholds(self) -> dict[str, np.ndarray]:
        arrays = self._model.threshold_arrays()
        if arrays is None:
            raise Error(
                "this tree has splits that are not thresholds of one input",
                hint="tree_.to_frame() shows every tree as a table",
            )
        if self._columns is not None:
            feature = arrays["feature"]
            arrays["feature"] = np.where(feature >= 0, np.asarray(self._columns)[feature], feature)
        return arrays

    def __getattr__(self, name: str) -> Any:
        if name in _THRESHOLD_ARRAYS:
            return self._thresholds[name]
        raise AttributeError(f"'Tree' has no attribute {name!r}")

    def __dir__(self):
        return sorted([*super().__dir__(), *_THRESHOLD_ARRAYS])

    @property
    def node_count(self) -> int:
        return self._model.nodes

    @property
    def n_leaves(self) -> int:
        return self._model.leaves

    @property
    def max_depth(self) -> int:
        return self._model.depth

    @property
    def parent(self) -> np.ndarray:
        """The parent of each node; -1 of the root."""
        return self._arrays["parent"]

    @property
    def depth(self) -> np.ndarray:
        return self._arrays["depth"]

    @property
    def is_leaf(self) -> np.ndarray:
        return self._arrays["children"] == 0

    @property
    def weighted_n_node_samples(self) -> np.ndarray:
        return self._arrays["weight"]

    @property
    def n_node_samples(self) -> np.ndarray:
        if self._samples is not None:
            return self._samples
        return np.rint(self._arrays["weight"]).astype(np.int64)

    @property
    def value(self) -> np.ndarray:
        """Shares of the classes, or the mean: nodes x 1 x classes."""
        sums = self._arrays["sums"]
        if not self._model.is_classifier:
            return sums[:, :1, None]
        total = sums.sum(axis=1, keepdims=True)
        return (sums / np.where(total > 0, total, 1))[:, None, :]

    @property
    def impurity(self) -> np.ndarray:
        """That of the criterion where it has one: entropy, Gini index, variance."""
        sums = self._arrays["sums"]
        if not self._model.is_classifier:
            return sums[:, 1] / np.maximum(self._arrays["weight"], np.finfo(float).tiny)
        shares = self.value[:, 0, :]
        if self._criterion in ("entropy", "gain-ratio", "log_loss"):
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(shares > 0, shares * np.log2(shares), 0.0)
            return -terms.sum(axis=1)
        if self._criterion == "misclassification":
            return 1 - shares.max(axis=1)
        return 1 - (shares**2).sum(axis=1)

    def decision_path(self, leaves: np.ndarray):
        """For rows that end at these nodes, which nodes they pass: a sparse matrix."""
        from scipy.sparse import csr_matrix

        parent = self.parent
        lengths = self.depth[leaves] + 1
        ends = np.concatenate([[0], np.cumsum(lengths)])
        nodes = np.empty(ends[-1], dtype=np.int64)
        here, position = leaves.astype(np.int64), ends[1:] - 1
        while len(here):
            nodes[position] = here
            inner = here > 0
            here, position = parent[here[inner]], position[inner] - 1
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, ends), (len(leaves), self.node_count))

    def to_frame(self):
        """The tree as a table, a line per node: a pandas DataFrame, without pandas a dictionary."""
        table = frame_columns(self._model)
        try:
            import pandas
        except ImportError:
            return table
        return pandas.DataFrame(table)

    def __repr__(self) -> str:
        return f"<softwood.Tree: {self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"


def frame_columns(model: _core.TreeModel) -> dict[str, Any]:
    tree, arrays = model.tree_dict(), model.node_arrays()
    nodes, inputs = tree["nodes"], tree["inputs"]
    feature, cut, decrease, gain, alpha, missing = [], [], [], [], [], []
    for node in nodes:
        split = node["split"]
        condition = split and split["condition"]
        terms = condition["terms"] if condition and condition["kind"] == "score" else []
        plain = len(terms) == 1 and terms[0]["kind"] == "value"
        if condition is None:
            feature.append(None)
        elif condition["kind"] == "levels":
            feature.append(inputs[condition["input"]]["name"])
        else:
            feature.append(inputs[terms[0]["input"]]["name"] if plain else "sum of terms")
        cut.append(condition["cut"] if terms else np.nan)
        decrease.append(split["decrease"] if split else np.nan)
        gain.append(split["gain"] if split else np.nan)
        alpha.append(split["alpha"] if split else np.nan)
        missing.append(split["missing"]["action"] if split else None)
    table: dict[str, Any] = {
        "node": np.arange(len(nodes)),
        "parent": arrays["parent"],
        "depth": arrays["depth"],
        "condition": model.branch_texts(),
        "is_leaf": arrays["children"] == 0,
        "first_child": arrays["first_child"],
        "children": arrays["children"],
        "input": feature,
        "threshold": np.array(cut),
        "missing": missing,
        "decrease": np.array(decrease),
        "gain": np.array(gain),
        "alpha": np.array(alpha),
        "weight": arrays["weight"],
        "share": arrays["weight"] / max(float(arrays["weight"][0]), np.finfo(float).tiny),
    }
    answers = arrays["answers"]
    if model.is_classifier:
        classes = model.classes
        table["prediction"] = [classes[k] for k in decided(tree, answers)]
        for k, name in enumerate(classes):
            table[f"P({name})"] = answers[:, k]
    else:
        table["prediction"] = answers[:, 0]
        table["deviation"] = np.sqrt(
            arrays["sums"][:, 1] / np.maximum(arrays["weight"], np.finfo(float).tiny)
        )
    return table


def decided(tree: dict[str, Any], answers: np.ndarray) -> np.ndarray:
    """The class decided for: the most probable one, with costs the cheapest."""
    if not tree["costs"]:
        return answers.argmax(axis=1)
    classes = answers.shape[1]
    costs = answers @ np.reshape(tree["costs"], (classes, classes))
    # As the library decides: costs that are equal but for rounding are equal, and the first counts.
    return (costs * (1 - 1e-12) <= costs.min(axis=1, keepdims=True)).argmax(axis=1)
