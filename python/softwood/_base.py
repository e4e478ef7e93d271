"""What all estimators have in common: scikit-learn's interface over the library."""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood import _core
from softwood._checks import (
    check_classes,
    check_column,
    check_weights,
    checked_array,
    checked_pair,
    class_values,
    coded_classes,
)
from softwood._data import one_column, refuse_sparse, row_numbers, to_columns
from softwood._errors import Error, warn_caller, warn_notes
from softwood._estimator_views import ViewsMixin
from softwood._functions import cost_table, free_name, named_costs, option_text, run
from softwood._model import Model
from softwood._parameters import (
    CRITERIA,
    class_names,
    classes_of,
    costs_text,
    criterion_text,
    in_parameters,
    recipe_parameters,
    signs_text,
)
from softwood._settings import seconds_of, seed_of

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    from softwood._without_sklearn import BaseEstimator, ClassifierMixin, RegressorMixin, check_is_fitted

    validate_data = None

# Fewer rows are answered by one thread, whatever n_jobs.
_ROWS_PER_THREAD = 8192


class TreeEstimator(ViewsMixin, BaseEstimator):
    """Base of all estimators; parameters are those of the generated classes."""

    _methods: dict[str, str] = {}  # by variant; empty: parameters method and recipe say
    _variant: str | None = None  # the parameter that chooses among them
    _options: dict[str, tuple[str, str]] = {}  # parameter -> stage and option
    _task = ""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        # Not `categorical`: scikit-learn sets it where the numbers of an array are codes of
        # categories. Here they are numbers, and columns of categories are categories.
        return tags

    # --- Training

    def fit(self, X, y, sample_weight=None, *, validation=None):
        """Trains the tree.

        Parameters
        ----------
        X : array, data frame, Arrow table, DuckDB relation or dictionary of columns
        y : column of the same length
        sample_weight : column of non-negative numbers, optional
            A row of weight 2 counts as the row given twice.
        validation : (X, y), optional
            Rows by which stages choose, instead of cross-validation or a part of the rows.

        Returns
        -------
        self
        """
        before = {key: self.__dict__[key] for key in _COLUMNS if key in self.__dict__}
        try:
            return self._fit(X, y, sample_weight, validation)
        except BaseException:  # the estimator is what it was
            for key in _COLUMNS:
                self.__dict__.pop(key, None)
            self.__dict__.update(before)
            raise

    def _fit(self, X, y, sample_weight, validation):
        columns, names = self._check_table(X, reset=True)
        target = free_name(_name_of(y), names)
        y = self._check_target(y, columns.rows)
        weights = check_weights(sample_weight, columns.rows)
        fitted = self._encode(y)  # what belongs to the target; set when all has gone well
        columns.set_target(target, self._target_column(target, y, fitted))
        if weights is not None:
            columns.set_weights(free_name("weight", names), one_column("weight", weights))
        settings = {"target": target, "task": self._task, **self._target_settings(target, fitted)}
        rows, notes = _core.DataSet.from_columns(columns, _core.DataSettings(**settings))
        # Limits are in rows here, whatever the weights sum to; see _limits_of_shares.
        texts = warn_notes([note for note in notes if "as little as" not in note[0]])
        options = self._train_settings(names, fitted, y, weights)
        if validation is not None:
            options["validation"], notes = self._validation_rows(rows, validation, names, fitted)
            texts += warn_notes(notes)
        core_settings = _core.TrainSettings(**options)
        try:
            model = run(lambda progress: _core.train(rows, core_settings, progress), texts, self.verbose)
        except Error as error:
            if error.kind != "usage" or not self._options:
                raise
            raise in_parameters(error, self._options) from None
        samples = None if weights is None else self._row_counts(model._core, rows, weights)
        self._keep(model, names, fitted, samples)
        return self

    def _keep(self, model: Model, names: list[str], fitted: dict[str, Any], samples=None) -> None:
        self.model_ = model
        self.notes_ = model.notes
        self._names = model.array_names = names
        self._samples = samples
        self._order = fitted.get("order")
        if "classes" in fitted:
            self.classes_ = fitted["classes"]
            self.n_classes_ = len(fitted["classes"])

    def _row_counts(self, core: _core.TreeModel, rows: _core.DataSet, weights: np.ndarray) -> np.ndarray:
        """Rows that reach each node; those without weight do not count."""
        leaves = core.leaf_numbers(rows, self._threads())
        counts = np.bincount(leaves[weights > 0], minlength=core.nodes)
        parent = core.node_arrays()["parent"]
        for node in range(core.nodes - 1, 0, -1):  # children come after their parents
            counts[parent[node]] += counts[node]
        return counts

    def _train_settings(self, names, fitted, y, weights) -> dict[str, Any]:
        method, recipe, lines = self._recipe(names, len(y) if weights is None else float(weights.sum()))
        if weights is not None and (weights != np.round(weights)).any():
            lines += self._limits_of_shares(weights)
        options = {
            "method": method,
            "recipe": recipe,
            "settings": lines,
            "seed": seed_of(self.random_state, "random_state"),
            "threads": self._threads(),
            "budget": seconds_of(self.budget),
        }
        options.update(self._class_settings(fitted))
        splits = self._splits(y)
        if splits is not None:
            options["splits"] = splits
        return options

    def _limits_of_shares(self, weights: np.ndarray) -> list[str]:
        """Limits count weight. Where weights are not whole (often shares that sum to 1) a row weighs what
        rows weigh on average; limits that ask for no more than a row on each side ask for nothing."""
        total, lines = float(weights.sum()), []
        row = total / np.count_nonzero(weights)
        for name, least in (("min_samples_split", 2), ("min_samples_leaf", 1)):
            value = getattr(self, name, None)
            if not isinstance(value, numbers.Real):
                continue
            stage, option = self._options[name]
            limit = value * total if _is_share(name, value) else 0.0 if value <= least else value * row
            lines.append(f"{stage}.{option}={option_text(limit * (1 - 1e-9))}")  # sums of weights are rounded
        return lines

    def _splits(self, y) -> list[tuple[list[int], list[int]]] | None:
        """The splits of `cv` where it is not a number."""
        cv = getattr(self, "cv", None)
        if cv is None or isinstance(cv, numbers.Integral):
            return None
        if isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
            raise Error(f"cv={cv!r} is not known", hint="known: a number of folds, a splitter, a list of splits")
        found = list(cv.split(np.zeros((len(y), 1)), y) if hasattr(cv, "split") else cv)
        if not found:
            raise Error("cv has no splits", hint="a list of (train, test), or a number of folds")
        if any(not isinstance(split, (tuple, list)) or len(split) != 2 for split in found):
            raise Error("cv has a split that is not a pair (train, test)")
        return [tuple(row_numbers(part, len(y), "cv") for part in split) for split in found]

    def _class_settings(self, fitted: dict[str, Any]) -> dict[str, Any]:
        return {}

    def _target_settings(self, target: str, fitted: dict[str, Any]) -> dict[str, Any]:
        return {}

    def _recipe(self, names: list[str], total: float) -> tuple[str, str, list[str]]:
        """Method, recipe, and the options that differ from their defaults."""
        if not self._methods:
            if self.method and self.recipe:
                raise Error("a method and a recipe can't be given together", hint="leave one of them out")
            lines = [f"{key}={option_text(value)}" for key, value in (self.settings or {}).items()]
            if isinstance(self.cv, numbers.Integral):
                lines.append(f"prune.folds={self.cv}")
            return self.method or ("" if self.recipe else "cart"), self.recipe or "", lines
        variant = getattr(self, self._variant) if self._variant else ""
        if variant not in self._methods:
            raise Error(
                f"{self._variant}={variant!r} is not known", hint=f"known: {', '.join(map(repr, self._methods))}"
            )
        defaults = self._defaults()
        lines = []
        for name, (stage, option) in self._options.items():
            value = getattr(self, name)
            if value is defaults[name] or (type(value) is type(defaults[name]) and value == defaults[name]):
                continue
            if name == "ccp_alpha":
                self._check_alpha(value)
            text = self._setting(name, value, names, total)
            if text is not None:
                lines.append(f"{stage}.{option}={text}")
            if name == "ccp_alpha":
                lines.append(f"prune.risk={self._impurity()}")
            if name == "min_impurity_decrease":
                lines.append(f"{stage}.decrease-per=all-rows")
        return self._methods[variant], "", lines

    def _check_alpha(self, value) -> None:
        if not isinstance(value, numbers.Real) or not value >= 0:
            raise Error(f"ccp_alpha={value!r} is not known", hint='known: a number of at least 0, "cv"')
        criterion = getattr(self, "criterion", "auto")
        if value > 0 and CRITERIA.get(criterion, criterion) in ("mae", "poisson"):
            hint = 'ccp_alpha="cv" chooses by cross-validation, 0.0 does not prune'
            raise Error(f"ccp_alpha in units of criterion={criterion!r} is not known", hint=hint)

    def _impurity(self) -> str:
        """By which pruning goes where alpha is given, as in scikit-learn."""
        if self._task == "regression":
            return "variance"
        criterion = CRITERIA.get(self.criterion, self.criterion)
        return "entropy" if criterion in ("entropy", "gain-ratio") else "gini"

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        import inspect

        if "_default_values" not in cls.__dict__:
            parameters = inspect.signature(cls.__init__).parameters
            cls._default_values = {name: p.default for name, p in parameters.items()}
        return cls._default_values

    def _setting(self, name: str, value: Any, names: list[str], total: float) -> str | None:
        """A parameter as the option is written; None: leave the option as it is."""
        if name == "cv" and not isinstance(value, numbers.Integral):
            return None
        if name == "criterion":
            return criterion_text(value, self._task)
        if name in ("min_samples_split", "min_samples_leaf"):
            if _is_share(name, value):
                least = 2 if name == "min_samples_split" else 1
                return option_text(max(least, float(np.ceil(value * total))))
            return option_text(value)
        if name == "monotonic_cst":
            return signs_text(value, names)
        if name == "feature_costs":
            return costs_text(value)
        return option_text(value)

    def _threads(self) -> int:
        try:
            from joblib.parallel import get_active_backend
        except ImportError:
            if self.n_jobs is None:
                return 1
            return self.n_jobs if self.n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + self.n_jobs)
        # Ours are threads, which also a forked process may have.
        backend, jobs = get_active_backend(prefer="threads")
        return backend.effective_n_jobs(jobs if self.n_jobs is None else self.n_jobs)

    # --- Data

    def _check_table(self, X, reset: bool) -> tuple[_core.Columns, list[str]]:
        refuse_sparse(X)
        is_mapping = isinstance(X, Mapping) and not hasattr(X, "__arrow_c_stream__")
        if not is_mapping and (isinstance(X, (list, tuple)) or (hasattr(X, "__array__") and not hasattr(X, "columns"))):
            X = checked_array(X)
        columns, names = to_columns(X)
        # scikit-learn knows arrays and these frames; its rule for all others is here.
        known = type(X).__module__.split(".")[0] in ("numpy", "pandas", "polars") and hasattr(X, "shape")
        if known and validate_data is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            self._check_names(names, reset, not isinstance(X, np.ndarray))
        if not names:
            raise Error(f"0 feature(s) (shape=({columns.rows}, 0)) while a minimum of 1 is required.", "data")
        if columns.rows == 0:
            raise Error("0 sample(s): the table has no rows, while a minimum of 1 is required.", "data")
        if not reset and names != self._names:  # one side has no names: columns go by their positions
            columns, names = columns.renamed(self._names), self._names
        return columns, names

    def _check_names(self, names: list[str], reset: bool, are_given: bool) -> None:
        """scikit-learn's rule: the same columns in the same order, or as many where there are no names."""
        if reset:
            self.n_features_in_ = len(names)
            self.__dict__.pop("feature_names_in_", None)
            if are_given:
                self.feature_names_in_ = np.array(names, dtype=object)
            return
        in_fit = getattr(self, "feature_names_in_", None)
        if in_fit is None or not are_given:
            if len(names) != self.n_features_in_:
                message = f"X has {len(names)} features, but {type(self).__name__} is expecting {self.n_features_in_}"
                raise Error(f"{message} features as input", "data")
            if in_fit is not None or are_given:
                has, without = ("has", "without") if are_given else ("does not have valid", "with")
                warn_caller(f"X {has} feature names, but {type(self).__name__} was fitted {without} feature names")
            return
        known = list(in_fit)
        if names != known:
            absent = [name for name in known if name not in names]
            new = [name for name in names if name not in known]
            what = f"without {', '.join(absent)}" if absent else f"with {', '.join(new)}" if new else "in another order"
            raise Error(f"the columns are not those of fit: {what}", "data", hint=f"in fit: {', '.join(known)}")

    def _rows(self, X) -> _core.DataSet:
        check_is_fitted(self)
        columns, _ = self._check_table(X, reset=False)
        rows, notes = _core.DataSet.for_model(self.model_._core, columns)
        if notes:
            warn_notes(notes)
        return rows

    def _answers(self, X, function: str) -> np.ndarray:
        """What a function of the model's core says of the rows. Plain arrays of numbers need no named
        columns, and a few rows no threads."""
        if type(X) is np.ndarray and hasattr(self, "model_") and not hasattr(self, "feature_names_in_"):
            threads = 1 if len(X) <= _ROWS_PER_THREAD else self._threads()
            found = self.model_.array_answers(X, self.n_features_in_, function, threads)
            if found is not None:
                return found
        rows = self._rows(X)
        return getattr(self.model_._core, function)(rows, self._threads())

    def _validation_rows(self, rows, validation, names, fitted):
        X, y = checked_pair(validation)
        if isinstance(X, (list, tuple)):
            X = checked_array(X)
        columns, found = to_columns(X)
        if found != names and (isinstance(X, np.ndarray) or "feature_names_in_" not in self.__dict__):
            if len(found) != len(names):
                raise Error(f"{len(found)} columns instead of {len(names)}", "data", "validation")
            columns = columns.renamed(names)
        y = self._check_target(y, columns.rows)
        columns.set_target(rows.target, self._validation_column(rows.target, y, fitted))
        return _core.DataSet.like(rows, columns)

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """The sequence of minimal cost-complexity pruning, as in scikit-learn.

        Returns
        -------
        Bunch with `ccp_alphas`, the alphas at which the tree becomes smaller, and `impurities`, the
        impurity of all leaves of each of these trees.
        """
        if "ccp_alpha" not in self._options or "prune" != self._options["ccp_alpha"][0]:
            raise Error(f"{type(self).__name__} does not prune by cost-complexity", hint="use Cart")
        self._check_alpha(1.0)  # a usage error where alphas have no unit
        whole = type(self)(**{**self.get_params(deep=False), "ccp_alpha": 0.0})
        table, _, risk, weight = whole.fit(X, y, sample_weight).model_._core.complexity
        unit = risk / weight
        path = {"ccp_alphas": (table[:, 0] * unit)[::-1].copy(), "impurities": (table[:, 2] * unit)[::-1].copy()}
        try:
            from sklearn.utils import Bunch
        except ImportError:
            from types import SimpleNamespace as Bunch
        return Bunch(**path)

    # --- Answers

    def apply(self, X) -> np.ndarray:
        """The leaf of each row; of soft trees the heaviest one."""
        return self._answers(X, "leaf_numbers").astype(np.int64)

    @classmethod
    def load(cls, path):
        """The fitted estimator of a model file.

        Parameters are those that the recipe of the model sets. Classes that are all numbers, or True
        and False, come back as such; columns named x0, x1, ... as those of an array.
        """
        model = Model.load(path)
        origin = model._core.origin()
        if model.is_classifier != (cls._task == "classification"):
            kind = "classes" if model.is_classifier else "numbers"
            raise Error(f"the model predicts {kind}", "model", str(path), "use softwood.load, or another class")
        parameters = {"random_state": origin["seed"]}
        if cls._methods:
            variants = [key for key, method in cls._methods.items() if method == origin["method"]]
            if not variants:
                name = origin["method"] or origin["recipe"]
                hint = f"Tree{'Classifier' if model.is_classifier else 'Regressor'} loads models of any method"
                raise Error(f"the model was trained by {name}", "model", str(path), hint)
            if cls._variant:
                parameters[cls._variant] = variants[0]
            parameters.update(recipe_parameters(origin["recipe"], cls._options))
        else:
            parameters["recipe"] = origin["recipe"]
        loaded = cls(**parameters)
        loaded._set_columns(model.inputs)
        loaded._keep(model, model.inputs, _sorted_classes(model.classes) if model.is_classifier else {})
        return loaded

    def _set_columns(self, names: list[str]) -> None:
        self.n_features_in_ = len(names)
        if names != [f"x{i}" for i in range(len(names))]:
            self.feature_names_in_ = np.array(names, dtype=object)


# What `fit` sets before all has gone well.
_COLUMNS = ("n_features_in_", "feature_names_in_")


def _name_of(y) -> str:
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, (str, numbers.Integral)) and str(name) else "y"


def _is_share(name: str, value) -> bool:
    """A float that is a share of the rows, as in scikit-learn; of `min_samples_split` 1.0 is all of them."""
    if not isinstance(value, (float, np.floating)):
        return False
    return 0 < value <= 1 if name == "min_samples_split" else 0 < value < 1


def _sorted_classes(names: list[str]) -> dict[str, Any]:
    """The classes of a model file as np.unique sorts them, and where each stands in the model."""
    classes = classes_of(names)
    order = np.argsort(classes, kind="stable")
    return {"classes": classes[order], "order": None if (np.diff(order) > 0).all() else order}


class TreeClassifier(ClassifierMixin, TreeEstimator):
    """Base of the classifiers."""

    _task = "classification"

    def _check_target(self, y, rows: int):
        return check_classes(y, rows)

    def _encode(self, y: np.ndarray) -> dict[str, Any]:
        classes, codes = coded_classes(y)
        return {"classes": classes, "codes": codes, "levels": class_names(classes)}

    def _target_column(self, name: str, y: np.ndarray, fitted: dict[str, Any]) -> _core.Columns:
        columns = _core.Columns()
        columns.add_codes(name, fitted["codes"], fitted["levels"])
        return columns

    def _validation_column(self, name: str, y: np.ndarray, fitted: dict[str, Any]) -> _core.Columns:
        classes = fitted["classes"]
        codes = np.searchsorted(classes, y)
        known = np.minimum(codes, len(classes) - 1)
        if not np.array_equal(classes[known], y):
            raise Error("a class that the training rows do not have", "data", f"column '{name}'")
        return self._target_column(name, y, {**fitted, "codes": codes.astype(np.int32)})

    def _class_settings(self, fitted: dict[str, Any]) -> dict[str, Any]:
        classes, levels = fitted["classes"], fitted["levels"]
        settings: dict[str, Any] = {}
        if self.class_weight is not None:
            settings["class_weights"] = self._class_weights(classes, levels, fitted["codes"])
        if self.costs is not None:
            settings["costs"] = self._costs_by_name(self.costs, classes, levels)
        return settings

    def _costs_by_name(self, costs, classes, levels: list[str]) -> dict[str, dict[str, float]]:
        costs = cost_table(costs)
        if isinstance(costs, Mapping):
            names = dict(zip(classes.tolist(), levels))
            costs = {
                names.get(actual, actual): {names.get(key, key): cost for key, cost in row.items()}
                for actual, row in costs.items()
            }
        return named_costs(costs, levels)

    def _target_settings(self, target: str, fitted: dict[str, Any]) -> dict[str, Any]:
        settings: dict[str, Any] = {"levels": {target: fitted["levels"]}}
        if self.positive is not None:
            by_class = dict(zip(fitted["classes"].tolist(), fitted["levels"]))
            if self.positive not in by_class:
                raise Error(f"positive={self.positive!r} is no class", hint=f"classes: {list(by_class)}")
            settings["positive"] = by_class[self.positive]
        return settings

    def _class_weights(self, classes, levels, codes) -> dict[str, float]:
        weights = self.class_weight
        if isinstance(weights, str):
            if weights != "balanced":
                raise Error(f"class_weight={weights!r} is not known", hint='known: "balanced", a dictionary')
            counts = np.bincount(codes, minlength=len(classes))
            return {level: len(codes) / (len(classes) * count) for level, count in zip(levels, counts)}
        by_class = dict(zip(classes.tolist(), levels))
        unknown = [key for key in weights if key not in by_class]
        if unknown:
            raise Error(f"class_weight has {unknown[0]!r}, which is no class", hint=f"classes: {list(by_class)}")
        return {by_class[key]: float(weight) for key, weight in weights.items()}

    def predict(self, X) -> np.ndarray:
        """The class of each row."""
        codes = self._answers(X, "predict_codes")
        order = self._class_order()
        return class_values(self.classes_ if order is None else self.classes_[np.argsort(order)], codes)

    def predict_proba(self, X) -> np.ndarray:
        """rows x classes, in the order of `classes_`."""
        answers, order = self._answers(X, "predict"), self._class_order()
        return answers if order is None else np.ascontiguousarray(answers[:, order])

    def predict_log_proba(self, X) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class TreeRegressor(RegressorMixin, TreeEstimator):
    """Base of the regressors."""

    _task = "regression"

    def _check_target(self, y, rows: int):
        y = check_column(y, rows)
        try:
            y = np.asarray(y, dtype=np.float64)
        except (TypeError, ValueError):
            raise Error("y has cells that are no numbers", "data", "y", "a Classifier predicts classes") from None
        if not np.isfinite(y).all():
            raise Error("Input y contains NaN or infinity", "data", "y", "leave such rows out")
        return y

    def _encode(self, y: np.ndarray) -> dict[str, Any]:
        return {}

    def _target_column(self, name: str, y: np.ndarray, fitted: dict[str, Any]) -> _core.Columns:
        return one_column(name, y)

    _validation_column = _target_column

    def predict(self, X) -> np.ndarray:
        """The number predicted for each row."""
        return self._answers(X, "predict")[:, 0]
