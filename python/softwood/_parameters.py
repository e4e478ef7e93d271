"""Parameters of estimators, options of recipes and class names: one as the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softwood import _core
from softwood._data import TRUTH, number_text
from softwood._errors import Error

# Names that scikit-learn has for criteria of ours.
CRITERIA = {
    "squared_error": "mse",
    "friedman_mse": "mse",
    "absolute_error": "mae",
    "log_loss": "entropy",
}


# By task, of those above and ours.
_OF_CLASSES = ("gini", "entropy", "log_loss", "gain-ratio", "misclassification", "twoing", "chi-square")
_OF_NUMBERS = ("squared_error", "friedman_mse", "absolute_error", "poisson", "mse", "mae")


def criterion_text(value: Any, task: str) -> str:
    """The criterion as the option is written; refuses those of the other task."""
    others, other = (_OF_NUMBERS, "Regressor") if task == "classification" else (_OF_CLASSES, "Classifier")
    if value in others:
        known = _OF_CLASSES if task == "classification" else _OF_NUMBERS
        raise Error(f"criterion={value!r} is not for {task}", hint=f"known: {', '.join(known)}; or use a {other}")
    return CRITERIA.get(value, str(value))


def class_names(classes: np.ndarray) -> list[str]:
    names = [
        cell if isinstance(cell, str) else TRUTH[cell] if isinstance(cell, bool) else number_text(cell)
        for cell in classes.tolist()
    ]
    names = [name or "''" for name in names]
    if len(set(names)) != len(names):
        names = [f"{name} #{i}" for i, name in enumerate(names)]
    return names


def classes_of(names: list[str]) -> np.ndarray:
    """The classes of such names: numbers where all of them are numbers, True and False."""
    for false, true in ((TRUTH[False], TRUTH[True]), ("False", "True")):  # as earlier versions wrote them
        if set(names) <= {false, true}:
            return np.array([name == true for name in names])
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
        parts.append(f"{_option_name('monotonic_cst', name)}:{known[sign]}")
    return ",".join(parts) or None


def costs_text(value: Any) -> str | None:
    """Costs of inputs as a:2,b:5."""
    parts = [f"{_option_name('feature_costs', name)}:{float(cost)!r}" for name, cost in dict(value).items()]
    return ",".join(parts) or None


def _option_name(parameter: str, name: Any) -> str:
    """The name of a column, where recipes can write it."""
    if "," in str(name) or '"' in str(name):
        raise Error(
            f"{parameter} can't be about the column {name!r}: recipes can't write its name",
            hint="rename the column: without commas and double quotes",
        )
    return str(name)


def recipe_stages(recipe: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Stages and the options that a recipe sets; values may stand in double quotes."""
    for text in _unquoted_parts(recipe, "|"):
        words = [word for word in _unquoted_parts(text, " ") if word]
        settings = {}
        for word in words[1:]:
            option, _, value = word.partition("=")
            quoted = len(value) > 1 and value[0] == value[-1] == '"'
            settings[option] = value[1:-1] if quoted else value
        if words:
            yield words[0], settings


def _unquoted_parts(text: str, separator: str) -> list[str]:
    """The parts between separators that do not stand in double quotes."""
    parts, quoted = [""], False
    for letter in text:
        quoted ^= letter == '"'
        if letter == separator and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def criterion_of(recipe: str, is_classifier: bool) -> str:
    """By which a recipe chooses splits."""
    found = [settings["criterion"] for _, settings in recipe_stages(recipe) if "criterion" in settings]
    if not found or found[0] == "auto":
        return "gini" if is_classifier else "mse"
    return found[0]


def recipe_parameters(recipe: str, options: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """The parameters that a recipe sets; `options` are the stage and option of each parameter."""
    names = {place: name for name, place in options.items()}
    found = {}
    for stage, settings in recipe_stages(recipe):
        for option, value in settings.items():
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
        if "criterion" in text or "known:" in text or "expected" in text:
            text = re.sub(r"\bmse\b", "squared_error", re.sub(r"\bmae\b", "absolute_error", text))
        for stage in {stage for stage, _ in options.values()}:
            text = text.replace(f" of '{stage}'", "")
        return text.replace("ccp_alpha=auto", 'ccp_alpha="cv"').replace("or none", "or None")

    return Error(worded(error.message), error.kind, error.where, worded(error.hint))
