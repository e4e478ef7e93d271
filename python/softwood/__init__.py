"""Softwood: decision trees, hard and soft, pruned, annealed and evolved.

Estimators for scikit-learn (CartClassifier, C45Classifier, SoftTreeRegressor, ...), and functions
for everybody else: train, rework, load, read, cross_validate, methods, generate, export, report.
``python -m softwood`` is the command line program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softwood import _core
from softwood._errors import Error, SoftwoodWarning

if TYPE_CHECKING:
    from softwood._estimators import *  # noqa: F403
    from softwood._explain import Change, Explanation, PartialDependence
    from softwood._functions import (
        CrossValidation,
        cross_validate,
        export,
        generate,
        load,
        methods,
        read,
        report,
        rework,
        train,
    )
    from softwood._model import Model, Rule
    from softwood._plot import Plot
    from softwood._report import Report
    from softwood._tree import Tree

__version__: str = _core.__version__

# Where names are looked for when they are asked for: estimators need scikit-learn, which takes its
# time to import.
_HOMES = {
    "train": "_functions",
    "rework": "_functions",
    "report": "_functions",
    "load": "_functions",
    "read": "_functions",
    "cross_validate": "_functions",
    "methods": "_functions",
    "generate": "_functions",
    "export": "_functions",
    "CrossValidation": "_functions",
    "Change": "_explain",
    "Explanation": "_explain",
    "PartialDependence": "_explain",
    "Plot": "_plot",
    "Report": "_report",
    "Model": "_model",
    "Rule": "_model",
    "Tree": "_tree",
}
_ESTIMATORS = [
    stem + task
    for stem, tasks in {
        "Cart": "CR",
        "C45": "C",
        "ID3": "C",
        "CTree": "CR",
        "LinearDiscriminantTree": "C",
        "ObliqueTree": "CR",
        "QuadraticTree": "CR",
        "OmnivariateTree": "CR",
        "AnnealedTree": "CR",
        "SoftThresholdC45": "C",
        "SoftTree": "CR",
        "EvolvedTree": "CR",
        "AutoTree": "CR",
        "Tree": "CR",
    }.items()
    for task in (["Classifier", "Regressor"] if tasks == "CR" else ["Classifier"])
]

__all__ = ["Error", "SoftwoodWarning", *_HOMES, *_ESTIMATORS]


def __getattr__(name: str):
    import importlib

    home = _HOMES.get(name) or ("_estimators" if name in _ESTIMATORS else None)
    if home is None:
        raise AttributeError(f"module 'softwood' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"softwood.{home}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
