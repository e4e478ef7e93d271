"""Signature, docstring and the table of options say the same."""

import inspect
import json
import os
import subprocess

import pytest

import softwood
from softwood import _core
from softwood._functions import option_text

STAGES = {stage["name"]: {o["name"]: o for o in stage["options"]} for stage in _core.stages()}


def classes():
    return [getattr(softwood, name) for name in softwood._ESTIMATORS]


@pytest.mark.parametrize("cls", classes(), ids=lambda cls: cls.__name__)
def test_every_parameter_is_documented_once(cls):
    text = inspect.getdoc(cls)
    for name, parameter in inspect.signature(cls).parameters.items():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        lines = [line for line in text.splitlines() if line.startswith(f"{name} : ")]
        assert len(lines) == 1, name
        assert lines[0].endswith(f"default {parameter.default!r}"), lines[0]


@pytest.mark.parametrize("cls", [c for c in classes() if c._methods], ids=lambda cls: cls.__name__)
def test_defaults_are_those_of_the_table(cls):
    for variant, method in cls._methods.items():
        for stage, values in softwood.methods(method)["stages"]:
            for name, (own_stage, option) in cls._options.items():
                default = inspect.signature(cls).parameters[name].default
                if own_stage != stage or (default is None and len(cls._methods) > 1):
                    continue
                wanted = values[option]
                if name == "ccp_alpha":
                    assert (default, wanted) == ("cv", "auto")
                elif STAGES[stage][option]["type"] in ("integer", "real") and wanted not in ("none", "auto"):
                    assert float(default) == float(wanted)
                else:
                    assert option_text(default) == wanted, (name, stage)


@pytest.mark.parametrize("cls", [c for c in classes() if c._methods], ids=lambda cls: cls.__name__)
def test_names_and_help_are_those_of_the_table(cls):
    text = " ".join(inspect.getdoc(cls).split())
    for name, (stage, option) in cls._options.items():
        spec = STAGES[stage][option]
        assert name in (spec["python"], f"{stage.replace('-', '_')}_{spec['python']}")
        if name not in ("ccp_alpha", "min_impurity_decrease"):
            start = " ".join(spec["help"].split())[1:30].replace("- ", "-")
            assert start in text.replace("- ", "-"), (name, start)


def test_the_table_is_that_of_the_program():
    program = os.environ.get("SOFTWOOD_PROGRAM")
    if not program:
        pytest.skip("SOFTWOOD_PROGRAM is not set")
    table = json.loads(subprocess.check_output([program, "options", "--json"]))
    for stage in table["stages"]:
        for option in stage["options"]:
            assert STAGES[stage["name"]][option["name"]]["default"] == option["default"]
            assert STAGES[stage["name"]][option["name"]]["python"] == option["python"]


def test_names_can_be_completed():
    assert set(softwood._ESTIMATORS) <= set(dir(softwood))
    from softwood import _estimators

    assert sorted(_estimators.__all__) == sorted(softwood._ESTIMATORS)


def test_no_parameter_looks_fitted():
    for cls in classes():
        assert not [name for name in inspect.signature(cls).parameters if name.endswith("_")]
