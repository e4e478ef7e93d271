"""Parameters of estimators, options of recipes and class names: one as the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood import _core
from softwood._data import number_text
from softwood._errors import Error

# Names that scikit-learn has for criteria of ours.
CRITERIA = {
    "squared_error": "mse",
    "friedman_mse": "mse",
    "absolute_error": "mae",
    "log_loss": "entropy",
}


def class_names(classes: np.ndarray) -> list[str]:
    names = [
        cell if isinstance(cell, str) else str(cell) if isinstance(cell, bool) else number_text(cell)
        for cell in classes.tolist()
    ]
    names = [name or "''" for name in names]
    if len(set(names)) != len(names):
        names = [f"{name} #{i}" for i, name in enumerate(names)]
    return names


def classes_of(names: list[str]) -> np.ndarray:
    """The classes of such names: numbers where all of them are numbers, True and False."""
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            found = [kind(name) for name in names]
        except ValueError:
            continue
        if [number_text(value) for value in found] == names:
            return np.array(found)
    return np.array(names)


def signs_text(value: Any, names: list[str]) -> str | None:
    """Monotone inputs as a:+,b:-."""
    signs = dict(value) if isinstance(value, Mapping) else dict(zip(names, np.asarray(value).tolist()))
    if not isinstance(value, Mapping) and len(value) != len(names):
        raise Error(f"monotonic_cst has {len(value)} entries for {len(names)} columns")
    known = {1: "+", -1: "-", "+": "+", "-": "-"}
    parts = []
    for name, sign in signs.items():
        if sign == 0:
            continue
        if sign not in known:
            raise Error(f"monotonic_cst has {sign!r}", hint="known: -1, 0, 1")
        parts.append(f"{name}:{known[sign]}")
    return ",".join(parts) or None


def recipe_parameters(recipe: str, options: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """The parameters that a recipe sets; `options` are the stage and option of each parameter."""
    names = {place: name for name, place in options.items()}
    found = {}
    for text in recipe.split(" | "):
        stage, *settings = text.split(" ")
        for setting in settings:
            option, _, value = setting.partition("=")
            if (stage, option) in names:
                name = names[stage, option]
                found[name] = _parameter_value(name, stage, option, value)
    return found


def _parameter_value(name: str, stage: str, option: str, text: str) -> Any:
    if name in ("monotonic_cst", "feature_costs"):
        pairs = (part.rpartition(":") for part in text.split(","))
        signs = {"+": 1, "-": -1}
        return {column: signs.get(value) or float(value) for column, _, value in pairs}
    if text == "none":
        return None
    specs = next(entry["options"] for entry in _core.stages() if entry["name"] == stage)
    spec = next(entry for entry in specs if entry["name"] == option)
    if spec["choices"] == ["yes", "no"]:
        return text == "yes"
    if spec["type"] in ("integer", "real") and text != spec["word"]:
        number = float(text)
        return int(number) if number.is_integer() and name != "ccp_alpha" else number
    return text


def in_parameters(error: Error, options: dict[str, tuple[str, str]]) -> Error:
    """An error about options with the names that they have as parameters."""
    names = {place: name for name, place in options.items()}
    by_option = {option: name for name, (_, option) in options.items()}

    def worded(text: str) -> str:
        text = re.sub(
            r"option '([\w-]+)' of '([\w-]+)'",
            lambda found: f"parameter '{names.get((found[2], found[1]), found[1])}'",
            text,
        )
        text = re.sub(
            r"(?<![\w-])([a-z][\w-]*)=",
            lambda found: f"{by_option.get(found[1], found[1])}=",
            text,
        )
        for option, name in by_option.items():
            text = text.replace(f"{option} other than", f"{name} other than")
            text = text.replace(f"{option}: ", f"{name}: ")
        for stage in {stage for stage, _ in options.values()}:
            text = text.replace(f" of '{stage}'", "")
        return text.replace("ccp_alpha=auto", 'ccp_alpha="cv"').replace("or none", "or None")

    return Error(worded(error.message), error.kind, error.where, worded(error.hint))
