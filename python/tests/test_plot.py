"""Pictures from Python: the same as from the command line, with data frames as rows."""

import os
import subprocess
import xml.etree.ElementTree as xml

import numpy as np
import pandas as pd
import polars as pl
import pytest

import softwood
from softwood import CartClassifier, CartRegressor

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def program():
    if "SOFTWOOD_PROGRAM" not in os.environ:
        pytest.skip("SOFTWOOD_PROGRAM is not set")
    return os.environ["SOFTWOOD_PROGRAM"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400), "c": rng.choice(["x", "y"], 400)})
    table["class"] = np.where(table.a + 0.5 * table.b + rng.normal(size=400) * 0.4 > 0, "yes", "no")
    return table


@pytest.fixture(scope="module")
def model(frame):
    return softwood.train(frame, target="class")


def texts(plot):
    return [element.text for element in xml.fromstring(plot.svg).iter(SVG + "text")]


@pytest.mark.parametrize("view", softwood._core.plot_views())
def test_views_are_those_of_the_program(view, frame, model, tmp_path, program):
    if view == "frontier":  # only auto makes one
        with pytest.raises(softwood.Error, match="frontier"):
            model.plot(view)
        model = softwood.train(frame, target="class", recipe="auto hard=yes max-leaves=4")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model.save(tmp_path / "model.json")
    command = [program, "plot", "model.json", "rows.csv", "--view", view, "-o", "plot.svg", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True)
    plot = model.plot(view, frame)
    assert plot.svg == (tmp_path / "plot.svg").read_text()
    assert plot.svg == model.plot(view, pl.from_pandas(frame)).svg
    assert plot.svg == model.plot(view, tmp_path / "rows.csv").svg


def test_settings_are_those_of_the_program(frame, model, tmp_path, program):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "costs.csv").write_text("class,no,yes\nno,0,1\nyes,5,0\n")
    model.save(tmp_path / "model.json")
    for flags, settings in [
        (["--depth", "1", "--direction", "right", "--row", "7"], {"depth": 1, "direction": "right", "row": 6}),
        (
            ["--view", "regions", "--inputs", "b,a", "--depths", "1,full", "--at", "c=y"],
            {"view": "regions", "inputs": ["b", "a"], "depths": [1, "full"], "at": {"c": "y"}},
        ),
        (["--view", "threshold", "--costs", "costs.csv"], {"view": "threshold", "costs": {"yes": {"no": 5}}}),
        (["--view", "pruning", "--validation", "rows.csv"], {"view": "pruning", "validation": frame}),
        (["--view", "overfitting", "--validation", "rows.csv"], {"view": "overfitting", "validation": frame}),
    ]:
        command = [program, "plot", "model.json", "rows.csv", *flags, "-o", "plot.svg", "--quiet"]
        subprocess.run(command, cwd=tmp_path, check=True)
        assert model.plot(data=frame, **settings).svg == (tmp_path / "plot.svg").read_text(), flags


def test_estimators_draw_what_their_models_draw(frame):
    X, y = frame.drop(columns="class"), frame["class"]
    tree = CartClassifier().fit(X, y)
    assert tree.plot().svg == tree.model_.plot().svg
    for view in ("tree", "roc", "overfitting"):
        assert tree.plot(view, X, y).svg == tree.model_.plot(view, X, y).svg
    assert tree.plot("pruning", validation=(X, y)).svg == tree.model_.plot("pruning", validation=(X, y)).svg
    assert "validation rows" in texts(tree.plot("pruning", validation=(X, y)))
    costs = {"yes": {"no": 5}}
    assert tree.plot("threshold", X, y, costs=costs).svg == tree.model_.plot("threshold", X, y, costs=costs).svg
    array = CartRegressor().fit(X[["a", "b"]].to_numpy(), frame.a + frame.b)
    assert texts(array.plot("regions", X[["a", "b"]].to_numpy(), depths=[1, "full"])).count("full tree") == 1


def test_rows_without_a_target_are_drawn_too(frame, model):
    without = frame.drop(columns="class")
    assert "yes" in texts(model.plot("tree", frame))
    assert model.plot("tree", without).svg != model.plot("tree").svg  # histograms, without classes
    some = frame.copy()
    some.loc[0:99, "class"] = None
    # Row 150 is row 150 of all of them.
    path = [line for line in model.plot("tree", frame, row=150).svg.splitlines() if 'class="edge on"' in line]
    assert path == [line for line in model.plot("tree", some, row=150).svg.splitlines() if 'class="edge on"' in line]


def test_plot_shows_itself_and_is_saved(model, tmp_path):
    plot = model.plot()
    assert plot._repr_svg_() == plot.svg == str(plot)
    assert plot.svg in plot._repr_html_()
    assert "var(" not in plot.svg  # programs for slides do not know variables of CSS
    plot.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text() == plot.svg
    assert repr(plot).startswith("<softwood.Plot: tree")


def test_errors_say_what_is_wrong(frame, model):
    with pytest.raises(softwood.Error, match="there is no view 'pie'"):
        model.plot("pie")
    with pytest.raises(softwood.Error, match="the view 'roc' needs rows of data"):
        model.plot("roc")
    with pytest.raises(softwood.Error, match="direction can't be 'up'"):
        model.plot(direction="up")
    with pytest.raises(softwood.Error, match="takes no validation rows"):
        model.plot("roc", frame, validation=frame)
    with pytest.raises(softwood.Error, match="there is no class 'maybe'"):
        model.plot("threshold", frame, costs={"maybe": {"no": 5}})
    with pytest.raises(softwood.Error, match="needs X and y"):
        CartClassifier().fit(frame[["a"]], frame["class"]).plot("roc", frame[["a"]])
