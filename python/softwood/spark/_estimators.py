"""Estimators of Spark ML: parameters, pipelines, cross-validation, save and load."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml import Model as MLModel
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasSeed, HasWeightCol
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)

from softwood._errors import Error, warn_notes
from softwood._model import Model
from softwood.spark._errors import on_driver
from softwood.spark._rows import quoted, refuse_absent, refuse_taken
from softwood.spark._train import train
from softwood.spark._use import predict

_TEXT = TypeConverters.toString

# The column by which CrossValidator and TrainValidationSplit divide rows is among those that they hand on.
_RANDOM_COLUMN = re.compile(r"(CrossValidator|TrainValidationSplit)_[0-9a-f]+_rand")


class _TreeParams(HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasSeed, HasWeightCol):
    inputCols = Param(Params._dummy(), "inputCols", "inputs of the tree; by default all other columns", TypeConverters.toListString)
    recipe = Param(Params._dummy(), "recipe", "stages instead of those of the method", _TEXT)
    settings = Param(Params._dummy(), "settings", "options over the recipe: ['grow.min-leaf=5']", TypeConverters.toListString)
    maxDepth = Param(Params._dummy(), "maxDepth", "most edges from the root to a leaf; -1: no limit", TypeConverters.toInt)
    sampleRows = Param(Params._dummy(), "sampleRows", "most rows, or different rows, that come to one place", TypeConverters.toInt)

    def __init__(self):
        super().__init__()
        self._setDefault(labelCol="label", predictionCol="prediction", probabilityCol="probability", rawPredictionCol="rawPrediction", seed=1, maxDepth=-1, sampleRows=200_000)

    def _get(self, name: str) -> Any:
        return self.getOrDefault(name) if self.hasParam(name) and self.isDefined(name) else None


class _GrownParams(_TreeParams):
    minInstancesPerNode = Param(Params._dummy(), "minInstancesPerNode", "least rows of a leaf", TypeConverters.toFloat)


class _TreeEstimator(_TreeParams, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    _method = "cart"
    _stage = "grow"
    _task = "classification"
    _model_class: type

    def setParams(self, **values):
        return self._set(**values)

    def _settings(self) -> dict[str, str]:
        settings = dict(_setting(line) for line in self._get("settings") or [])
        depth, least, recipe = self._get("maxDepth"), self._get("minInstancesPerNode"), self._get("recipe")
        stage = next(iter((recipe or "").split()), self._stage)
        if depth is not None and depth >= 0:
            settings[f"{stage}.max-depth"] = str(depth)
        if least is not None:
            settings[f"{stage}.min-leaf"] = repr(least)
        if self._method == "evolve" and not recipe:
            settings.setdefault("evolve.cuts", "bins")
        return settings

    def _columns(self, dataset) -> list[str]:
        """What is learned from: inputs, weights and label."""
        label, weight, inputs = self._get("labelCol"), self._get("weightCol"), self._get("inputCols")
        if inputs is None:
            added = ["predictionCol"] + (["probabilityCol", "rawPredictionCol"] if self._task == "classification" else [])
            answers = {self._get(name) for name in added}
            inputs = [name for name in dataset.columns if name not in answers and not _RANDOM_COLUMN.fullmatch(name)]
            _warn_of_the_label_itself(dataset, label, [name for name in inputs if name not in (label, weight)])
        return list(dict.fromkeys([*inputs, *([weight] if weight else []), label]))

    def _fit(self, dataset):
        names = self._columns(dataset)
        for name in names:
            refuse_absent(dataset, name)
        recipe = self._get("recipe")
        model = train(
            dataset.select(*[quoted(name) for name in names]),
            self._get("labelCol"),
            method=None if recipe else self._method,
            recipe=recipe,
            settings=self._settings(),
            task=self._task,
            weights=self._get("weightCol"),
            seed=self._get("seed"),
            sample_rows=self._get("sampleRows"),
        )
        return self._copyValues(self._model_class(model))


_MOST_INDEXED = 1000  # values that are looked for in other columns


def _warn_of_the_label_itself(dataset, label: str, inputs: list[str]) -> None:
    """A label that StringIndexer made, beside a text column that has only its values: all is predicted from that one."""
    from pyspark.sql import functions as f

    fields = {field.name: field for field in dataset.schema.fields}
    values = fields[label].metadata.get("ml_attr", {}).get("vals") if label in fields else None
    if not values or len(values) > _MOST_INDEXED:
        return
    for name in inputs:
        if fields[name].dataType.typeName() != "string":
            continue
        cell = f.col(quoted(name))
        with on_driver(dataset.sparkSession, "softwood.spark: is the label an input"):
            others = dataset.filter(cell.isNotNull() & ~cell.isin(values)).limit(1).count()
            same = dataset.filter(cell.isin(values)).limit(1).count()
        if same and not others:
            text = f"column '{name}' is an input, and has only values of which the label '{label}' was made"
            warn_notes([(text, "is it the label itself? inputCols names the inputs")])


def _setting(line: str) -> tuple[str, str]:
    name, equals, value = line.partition("=")
    if not equals:
        raise Error(f"'{line}' is no setting", "usage", hint="stage.option=value, as in grow.min-leaf=5")
    return name.strip(), value.strip()


def _with_setters(cls):
    """setMaxDepth(3) for each parameter, as the estimators of Spark have them."""

    def setter(name):
        def set_value(self, value):
            return self._set(**{name: value})

        set_value.__doc__ = f"Sets {name}."
        return set_value

    for name in [name for name in inspect.signature(cls.__init__).parameters if name != "self"]:
        called = "set" + name[0].upper() + name[1:]
        set_value = setter(name)
        set_value.__name__ = called
        setattr(cls, called, set_value)
    return cls


class _ModelWriter(MLWriter):
    def __init__(self, instance):
        super().__init__()
        self._instance = instance

    def saveImpl(self, path):
        DefaultParamsWriter.saveMetadata(self._instance, path, self.sc, {"model": self._instance.model.to_text()})


class _ModelReader(MLReader):
    def __init__(self, cls):
        super().__init__()
        self._cls = cls

    def load(self, path):
        metadata = DefaultParamsReader.loadMetadata(path, self.sc)
        found = self._cls(Model.from_text(metadata["model"]))
        found._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(found, metadata)
        return found


class _TreeModel(_TreeParams, MLModel, MLWritable, MLReadable):
    """`model` is the softwood.Model: show, rules, plot, explain, export and all else."""

    def __init__(self, model: Model | None = None):
        super().__init__()
        self.model = model

    def write(self):
        return _ModelWriter(self)

    def save(self, path):
        self.write().save(path)

    @classmethod
    def read(cls):
        return _ModelReader(cls)

    @classmethod
    def load(cls, path):
        return cls.read().load(path)

    def _transform(self, dataset):
        from pyspark.ml.functions import array_to_vector
        from pyspark.sql import functions as f

        column, probability, raw = (self._get(name) for name in ("predictionCol", "probabilityCol", "rawPredictionCol"))
        if not self.model.is_classifier:
            return predict(self.model, dataset, prediction=column)
        wanted = [name for name in (probability, raw) if name]  # Spark ML leaves out what has no name
        for name in wanted:
            refuse_taken(dataset, name)
        found = predict(self.model, dataset, prediction=column, probability=wanted[0] if wanted else "")
        if column and all(_is_number(name) for name in self.model.classes):
            found = found.withColumn(column, f.col(quoted(column)).cast("double"))
        if wanted:
            found = found.withColumn(wanted[0], array_to_vector(f.col(quoted(wanted[0]))))
        return found.withColumn(raw, f.col(quoted(probability))) if len(wanted) > 1 else found


def _is_number(text: str) -> bool:
    try:
        json.loads(text)
        float(text)
    except ValueError:
        return False
    return True


class CartClassificationModel(_GrownParams, _TreeModel):
    pass


class CartRegressionModel(_GrownParams, _TreeModel):
    pass


class EvolvedTreeClassificationModel(_TreeModel):
    pass


class EvolvedTreeRegressionModel(_TreeModel):
    pass


@_with_setters
class CartClassifier(_GrownParams, _TreeEstimator):
    """A tree grown by bins and pruned by cost-complexity, as method `cart` with search=binned."""

    _model_class = CartClassificationModel

    @keyword_only
    def __init__(self, *, inputCols=None, labelCol="label", predictionCol="prediction", probabilityCol="probability", rawPredictionCol="rawPrediction", weightCol=None, recipe=None, settings=None, maxDepth=-1, minInstancesPerNode=None, seed=1, sampleRows=200_000):
        super().__init__()
        self._set(**self._input_kwargs)


@_with_setters
class CartRegressor(_GrownParams, _TreeEstimator):
    """The same for a numeric target."""

    _task = "regression"
    _model_class = CartRegressionModel

    @keyword_only
    def __init__(self, *, inputCols=None, labelCol="label", predictionCol="prediction", weightCol=None, recipe=None, settings=None, maxDepth=-1, minInstancesPerNode=None, seed=1, sampleRows=200_000):
        super().__init__()
        self._set(**self._input_kwargs)


@_with_setters
class EvolvedTreeClassifier(_TreeEstimator):
    """A tree that is evolved as a whole, as method `evolve` with cuts=bins: from all rows, those that are equal in
    bins and class merged, up to sampleRows different ones."""

    _method = _stage = "evolve"
    _model_class = EvolvedTreeClassificationModel

    @keyword_only
    def __init__(self, *, inputCols=None, labelCol="label", predictionCol="prediction", probabilityCol="probability", rawPredictionCol="rawPrediction", weightCol=None, recipe=None, settings=None, maxDepth=-1, seed=1, sampleRows=200_000):
        super().__init__()
        self._set(**self._input_kwargs)


@_with_setters
class EvolvedTreeRegressor(_TreeEstimator):
    """The same for a numeric target."""

    _method = _stage = "evolve"
    _task = "regression"
    _model_class = EvolvedTreeRegressionModel

    @keyword_only
    def __init__(self, *, inputCols=None, labelCol="label", predictionCol="prediction", weightCol=None, recipe=None, settings=None, maxDepth=-1, seed=1, sampleRows=200_000):
        super().__init__()
        self._set(**self._input_kwargs)
