"""The tree of a model, as arrays and as a table."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from softwood import _core
from softwood._errors import Error
from softwood._parameters import criterion_of

# Those that scikit-learn's tree has, for trees whose splits are all thresholds of one input.
_THRESHOLD_ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
)


class NoThresholds(Error, AttributeError):
    """An array that trees of other splits than thresholds do not have."""

    def __reduce__(self):
        return NoThresholds, (self.message, self.kind, self.where, self.hint)


class Tree:
    """The nodes of a tree: the root is 0, children come after their parents.

    Trees whose splits are all thresholds of one input have the arrays of scikit-learn's tree:
    children_left, children_right, feature, threshold, value, impurity, n_node_samples,
    weighted_n_node_samples. `to_frame` is a table of the nodes of any tree.
    """

    def __init__(self, model: _core.TreeModel, samples=None, columns=None, order=None, classes=None):
        self._model = model
        self._classes = classes  # what its classes are called in predictions; None: by their names
        self._order = order  # of the classes, where it is not the model's
        self._samples = samples  # rows by node, where they do not weigh 1 each
        self._columns = columns  # of the model's inputs among those of X; None: the same

    def __getstate__(self):
        kept = {key: getattr(self, f"_{key}") for key in ("samples", "columns", "order", "classes")}
        return {"form": 1, "text": self._model.text(), **kept}

    def __setstate__(self, state):
        core = _core.TreeModel.from_text(state["text"])
        self.__init__(core, state["samples"], state["columns"], state["order"], state["classes"])

    @cached_property
    def _criterion(self) -> str:
        return criterion_of(self._model.origin()["recipe"], self._model.is_classifier)

    @cached_property
    def _arrays(self) -> dict[str, np.ndarray]:
        return self._model.node_arrays()

    def _thresholds(self) -> dict[str, np.ndarray]:
        if "_found_thresholds" not in self.__dict__:
            self._found_thresholds = self._read_thresholds()
        return self._found_thresholds

    def _read_thresholds(self) -> dict[str, np.ndarray]:
        arrays = self._model.threshold_arrays()
        if arrays is None:
            raise NoThresholds(
                "this tree has splits that are not thresholds of one input",
                hint="tree_.to_frame() shows every tree as a table",
            )
        if self._columns is not None:
            feature = arrays["feature"]
            arrays["feature"] = np.where(feature >= 0, np.asarray(self._columns)[feature], feature)
        return arrays

    def __getattr__(self, name: str) -> Any:
        if name in _THRESHOLD_ARRAYS:
            return self._thresholds()[name]
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
        """Rows. Model files keep weights alone: of trees that were loaded these are weights, rounded."""
        if self._samples is not None:
            return self._samples
        return np.rint(self._arrays["weight"]).astype(np.int64)

    @property
    def value(self) -> np.ndarray:
        """Shares of the classes, or the mean: nodes x 1 x classes. Leaves of criterion=mae have their median."""
        sums = self._arrays["sums"]
        if not self._model.is_classifier:
            medians = self.is_leaf[:, None] & (self._criterion == "mae")
            return np.where(medians, self._arrays["answers"][:, :1], sums[:, :1])[:, :, None]
        if self._order is not None:
            sums = sums[:, self._order]
        total = sums.sum(axis=1, keepdims=True)
        return (sums / np.where(total > 0, total, 1))[:, None, :]

    @property
    def impurity(self) -> np.ndarray:
        """That of the criterion where it has one: entropy, Gini index, variance."""
        sums = self._arrays["sums"]
        if self._criterion in ("mae", "poisson"):
            hint = "to_frame() has the standard deviation of each node"
            raise Error(f"models do not keep the impurity of criterion={self._criterion}", hint=hint)
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
        return frame_or(frame_columns(self._model, self._classes))

    def __repr__(self) -> str:
        return f"<softwood.Tree: {self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"


def frame_or(table: dict[str, Any]):
    """A pandas DataFrame, without pandas the dictionary itself."""
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)


def frame_columns(model: _core.TreeModel, names: list | None = None) -> dict[str, Any]:
    """`names`: of the classes in predictions."""
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
        table["prediction"] = [(names or classes)[k] for k in decided(tree, answers)]
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
