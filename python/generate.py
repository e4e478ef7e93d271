#!/usr/bin/env python3
"""Writes the estimator classes from the table of options of the program.

    generate.py --program build/release/softwood -o _estimators.py

Names, defaults, ranges and help texts are those that the program declares. What stands here is how
classes and methods belong together, and the parameters that are Python's alone.
"""

import argparse
import json
import subprocess
import textwrap

# class, {variant: method}, the variant parameter or None, tasks, first line of the docstring
CLASSES = [
    ("Cart", {"": "cart"}, None, "CR", "CART: grown with one input per split, pruned by cross-validation"),
    ("C45", {"": "c45"}, None, "C", "C4.5: gain ratio, fractional missing values, pessimistic pruning"),
    ("ID3", {"": "id3"}, None, "C", "ID3: information gain, a child for each level, no pruning"),
    ("CTree", {"": "ctree"}, None, "CR", "Conditional inference tree: splits chosen by permutation tests"),
    ("LinearDiscriminantTree", {"": "ldt"}, None, "C", "Tree whose splits are linear discriminants"),
    ("ObliqueTree", {"": "oblique"}, None, "CR", "Tree whose splits are weighted sums of inputs"),
    ("QuadraticTree", {"": "quadratic"}, None, "CR", "Tree whose splits are quadratic in the inputs"),
    ("OmnivariateTree", {"": "omnivariate"}, None, "CR",
     "Tree whose nodes choose between one input, weighted sums and quadratic splits"),
    ("AnnealedTree", {"": "cart-annealed"}, None, "CR", "CART with thresholds softened by simulated annealing"),
    ("SoftThresholdC45", {"": "c45-soft"}, None, "C", "C4.5 with soft thresholds"),
    ("SoftTree", {"joint": "soft-refined", "published": "soft"}, "training", "CR",
     "Soft tree: gates divide every row, trained by gradients"),
    ("EvolvedTree", {"improved": "evolve", "published": "evolve-published"}, "variant", "CR",
     "Tree evolved as a whole, instead of grown split by split"),
    ("AutoTree", {"": "auto"}, None, "CR", "The best tree of all methods, by rows that they have not seen"),
]  # fmt: skip

# What makes a method what it is: these are not parameters, and options that depend on others of
# their values do not belong to the class.
STRUCTURAL = {"split", "by", "shape", "over"}

# What estimators set by themselves, so that units are scikit-learn's.
IMPLIED = {"risk", "decrease-per"}

SHARED = {
    "C": [
        ("class_weight", "None", 'dict, "balanced" or None',
         "Weights of the classes; rows count as so many. \"balanced\": all classes count alike."),
        ("costs", "None", "dict, data frame, square array or None",
         "costs[actual][predicted]: what wrong predictions cost. Errors that are not named cost 1."),
        ("positive", "None", "class or None",
         "Of two classes, the one that monotone inputs, thresholds, precision and recall are about; "
         "None: the last one."),
    ],
    "R": [],
    "CR": [
        ("random_state", "None", "int, RandomState or None",
         "Seed. The same data, parameters and seed give the same tree; None is 1."),
        ("n_jobs", "None", "int or None",
         "Threads; None: 1 unless a joblib backend says otherwise, -1: all. Never changes the tree."),
        ("verbose", "0", "int", "1 shows a progress bar for work over a second."),
        ("budget", "None", "float, str or None",
         "Seconds (or \"30s\", \"5m\") after which stages that improve a tree step by step end with "
         "their best one."),
    ],
}  # fmt: skip

# Words that the program and Python spell differently: (python name, text) -> Python's value.
SPELLED = {("ccp_alpha", "auto"): "cv"}

# Units that are scikit-learn's in Python.
UNITS = {
    "ccp_alpha": ('float or "cv"', 'Complexity parameter of minimal cost-complexity pruning, in units of impurity as '
                  'in scikit-learn; 0.0 does not prune. "cv": chosen by cross-validation on the error, see '
                  '`cv` and `rule`.'),
    "cv": ("int, splitter or list of splits", None),
    "min_samples_split": ("int or float", "A float below 1 is a share of the rows."),
    "min_samples_leaf": ("int or float", "A float below 1 is a share of the rows."),
    "min_impurity_decrease": ("float", "Least decrease of the impurity that is worth a split, weighted by "
                              "the node's share of the rows, as in scikit-learn."),
    "monotonic_cst": ("dict, array of {-1, 0, 1} or None", None),
    "feature_costs": ("dict or None", None),
}  # fmt: skip

HEADER = '''"""The estimators, written from the table of options when the package is built."""

from __future__ import annotations

from softwood._base import TreeClassifier as _Classifier
from softwood._base import TreeRegressor as _Regressor

__all__ = {names}
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    tables = json.loads(subprocess.check_output([arguments.program, "options", "--json"]))
    stages = {stage["name"]: stage for stage in tables["stages"]}
    methods = {method["name"]: method for method in tables["methods"]}
    classes, names = [], []
    for stem, variants, variant_name, tasks, summary in CLASSES:
        for task in tasks:
            name = stem + {"C": "Classifier", "R": "Regressor"}[task]
            names.append(name)
            classes.append(class_source(name, task, variants, variant_name, summary, methods, stages))
    for task, name in (("C", "TreeClassifier"), ("R", "TreeRegressor")):
        names.append(name)
        classes.append(any_class_source(name, task))
    text = HEADER.format(names=json.dumps(names, indent=4)) + "".join(classes)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(text)


def conditions_hold(conditions, values):
    """Whether "split=oblique leaf=ridge,logistic" can hold, given the structural options."""
    for condition in (conditions or "").split():
        negated = "!=" in condition
        name, allowed = condition.split("!=" if negated else "=")
        if name in STRUCTURAL and (values.get(name) in allowed.split(",")) == negated:
            return False
    return True


def python_value(python_name, option, text):
    """The value that a parameter has for an option as the program writes it."""
    if (python_name, text) in SPELLED:
        return SPELLED[python_name, text]
    if text == "none":
        return None
    if option["choices"] == ["yes", "no"]:
        return text == "yes"
    if option["type"] == "integer" and text != option["word"]:
        return int(text)
    if option["type"] == "real" and text != option["word"]:
        return float(text) if not float(text).is_integer() or "." in text else int(float(text))
    return text


def parameters_of(variants, methods, stages):
    """(name, default or a dict of defaults by variant, option, stage) of every option."""
    found = {}
    for variant, method in variants.items():
        for step in methods[method]["stages"]:
            values = step["options"]
            for option in stages[step["name"]]["options"]:
                name = option["python"]
                if option["name"] in STRUCTURAL | IMPLIED or not conditions_hold(option["only_with"], values):
                    continue
                if name in found and found[name][2] != step["name"]:
                    name = f"{step['name'].replace('-', '_')}_{name}"
                default = python_value(name, option, values[option["name"]])
                entry = found.setdefault(name, (option, {}, step["name"]))
                entry[1][variant] = default
    parameters = []
    for name, (option, defaults, stage) in found.items():
        parameters.append((name, defaults, option, stage))
    return parameters


def range_text(option):
    if option["type"] == "choice":
        if option["choices"] == ["yes", "no"]:
            return "bool"
        return "{" + ", ".join(json.dumps(choice) for choice in option["choices"]) + "}"
    if option["type"] == "text":
        return "str"
    text = "int" if option["type"] == "integer" else "float"
    low, high = option["low"], option["high"]
    text += f" >= {low:g}" if high is None else f" from {low:g} to {high:g}"
    word = {"none": "None", "": None, None: None}.get(option["word"], json.dumps(option["word"]))
    return text + (f" or {word}" if word else "")


def parameter_lines(name, kind, default, text):
    lines = [f"{name} : {kind}, default {default}"]
    lines += textwrap.wrap(text[0].upper() + text[1:] + ("" if text.endswith(".") else "."), 92,
                           initial_indent="    ", subsequent_indent="    ")
    return lines


def option_help(option, stage, variant_name, defaults):
    text = option["help"]
    if option["only_with"]:
        others = " and ".join(c for c in option["only_with"].split()
                              if c.split("=")[0].rstrip("!") not in STRUCTURAL)
        if others:
            text += f"; only with {others}"
    if len(set(map(repr, defaults.values()))) > 1:
        own = ", ".join(f"{value!r} with {variant_name}={variant!r}" for variant, value in defaults.items())
        text += f"; None: {own}"
    elif variant_name and len(defaults) == 1:
        text += f"; only with {variant_name}={next(iter(defaults))!r}"
    return text + f" (option ``{option['name']}`` of stage ``{stage}``)"


def class_source(name, task, variants, variant_name, summary, methods, stages):
    signature, documents, table = [], [], {}
    if variant_name:
        first = next(iter(variants))
        signature.append((variant_name, repr(first)))
        choices = ", ".join(json.dumps(variant) for variant in variants)
        meaning = "; ".join(f'"{variant}": the method {method}' for variant, method in variants.items())
        documents += parameter_lines(variant_name, "{" + choices + "}", repr(first), meaning)
    for python_name, defaults, option, stage in parameters_of(variants, methods, stages):
        same = len(set(map(repr, defaults.values()))) == 1
        default = repr(next(iter(defaults.values()))) if same else "None"
        kind, more = UNITS.get(python_name, (range_text(option), None))
        text = option_help(option, stage, variant_name, defaults)
        if python_name in ("ccp_alpha", "min_impurity_decrease"):
            text = more
        elif more:
            text += f". {more}"
        signature.append((python_name, default))
        documents += parameter_lines(python_name, kind, default, text)
        table[python_name] = (stage, option["name"])
    for key in (task, "CR"):
        for python_name, default, kind, text in SHARED[key]:
            signature.append((python_name, default))
            documents += parameter_lines(python_name, kind, default, text)
    return render(name, task, summary, methods, variants, variant_name, signature, documents, table)


def any_class_source(name, task):
    signature = [("method", "None"), ("recipe", "None"), ("settings", "None"), ("cv", "None")]
    documents = []
    for python_name, kind, text in (
        ("method", "str or None", "One of softwood.methods(); None without a recipe: cart."),
        ("recipe", "str or None", 'Stages joined by |, such as "grow min-leaf=5 | prune rule=min".'),
        ("settings", "dict or None", 'Options laid over the recipe: {"grow.min-leaf": 5}.'),
        ("cv", "int, splitter, list of splits or None", "The folds of pruning; None: those of the recipe."),
    ):
        documents += parameter_lines(python_name, kind, "None", text)
    for key in (task, "CR"):
        for python_name, default, kind, text in SHARED[key]:
            signature.append((python_name, default))
            documents += parameter_lines(python_name, kind, default, text)
    return render(name, task, "Tree by any method or recipe", {}, {}, None, signature, documents, {})


def render(name, task, summary, methods, variants, variant_name, signature, documents, table):
    what = {"C": "classification", "R": "regression"}[task]
    lines = ["", "", f"class {name}(_{'Classifier' if task == 'C' else 'Regressor'}):"]
    doc = [f'"""{summary} ({what}).', ""]
    if variants:
        for variant, method in variants.items():
            info = methods[method]
            doc += textwrap.wrap(f"Method ``{method}``: {info['help']}. Recipe: ``{info['recipe']}``. "
                                 f"Source: {info['source']}.", 96)
        doc.append("")
    doc += ["Parameters", "----------"] + documents
    doc += ["", "Attributes", "----------"]
    attributes = [("n_features_in_", "int", "Columns seen in `fit`."),
                  ("feature_names_in_", "array of str", "Their names, where they had some."),
                  ("feature_importances_", "array", "Share of each column in what all splits gain."),
                  ("tree_", "softwood.Tree", "The tree: arrays as in scikit-learn, `to_frame()`."),
                  ("model_", "softwood.Model", "The model, with every view and the model file."),
                  ("notes_", "list of str", "What training had to say.")]
    if task == "C":
        attributes = [("classes_", "array", "The classes, sorted."),
                      ("n_classes_", "int", "Their number.")] + attributes
    for attribute, kind, text in attributes:
        doc += [f"{attribute} : {kind}", f"    {text}"]
    data = ("load_iris", name) if task == "C" else ("load_diabetes", name)
    doc += ["", "Examples", "--------", ">>> from sklearn.datasets import " + data[0],
            f">>> from softwood import {name}", f">>> X, y = {data[0]}(return_X_y=True)",
            f">>> {name}().fit(X, y).predict(X[:1]).shape", "(1,)", '"""']
    lines += ["    " + line if line else "" for line in doc]
    lines.append("")
    if variants:
        lines.append(f"    _methods = {dict(variants)!r}")
        lines.append(f"    _variant = {variant_name!r}")
        lines.append("    _options = {")
        lines += [f"        {key!r}: {value!r}," for key, value in table.items()]
        lines.append("    }")
        lines.append("")
    lines.append("    def __init__(")
    lines.append("        self,")
    lines.append("        *,")
    lines += [f"        {key}={default}," for key, default in signature]
    lines.append("    ):")
    lines += [f"        self.{key} = {key}" for key, _ in signature]
    return "\n".join(line.rstrip() for line in lines) + "\n"


if __name__ == "__main__":
    main()
