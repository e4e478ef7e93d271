"""Trees on Spark: the same model, byte for byte, as on one machine.

>>> import softwood.spark as sws                                             # doctest: +SKIP
>>> model = sws.train(df, target="class", recipe="grow search=binned max-depth=8")  # doctest: +SKIP
>>> sws.evaluate(model, df)["error"]                                         # doctest: +SKIP
>>> sws.predict(model, df).show()                                            # doctest: +SKIP

The library must be installed where the executors run, in the same version (docs/guide/spark.md).
"""

from softwood.spark._describe import describe
from softwood.spark._estimators import (
    CartClassificationModel,
    CartClassifier,
    CartRegressionModel,
    CartRegressor,
    EvolvedTreeClassificationModel,
    EvolvedTreeClassifier,
    EvolvedTreeRegressionModel,
    EvolvedTreeRegressor,
)
from softwood.spark._train import train
from softwood.spark._use import evaluate, predict

__all__ = [
    "CartClassificationModel",
    "CartClassifier",
    "CartRegressionModel",
    "CartRegressor",
    "EvolvedTreeClassificationModel",
    "EvolvedTreeClassifier",
    "EvolvedTreeRegressionModel",
    "EvolvedTreeRegressor",
    "describe",
    "evaluate",
    "predict",
    "train",
]
