"""The report page from Python."""

import re

import numpy as np
import pandas as pd
import pytest

import softwood
from softwood import CartClassifier, CartRegressor


@pytest.fixture(scope="module")
def tree(iris):
    return CartClassifier(max_depth=3).fit(*iris)


def test_a_page_of_an_estimator(tree, iris, tmp_path):
    X, y = iris
    page = tree.report()
    assert page.html.startswith("<!") and page.html.rstrip().endswith("</html>")
    measured = tree.report(X, y, path=tmp_path / "r.html")
    assert len(measured.html) > len(page.html)
    assert (tmp_path / "r.html").read_text() == measured.html == str(measured)
    assert "CartClassifier" in page.html
    assert measured._repr_html_().startswith('<iframe srcdoc="&lt;!')
    assert "characters of HTML" in repr(page)
    assert "Only the answers" not in tree.report(X).html  # rows without answers are shown, too
    assert len(tree.report(X, y, rows=None).html) < len(measured.html)


def test_a_page_of_a_model(tree, iris, tmp_path):
    X, y = iris
    model, frame = tree.model_, pd.DataFrame(X, columns=[f"x{i}" for i in range(4)])
    without, with_target = model.report(frame), model.report(frame.assign(y=y))
    assert len(with_target.html) > len(without.html)
    assert with_target.html == model.report(frame, y).html == softwood.report(model, frame, y).html
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    assert len(model.report(tmp_path / "rows.csv", name="flowers").html) > len(without.html)
    assert "flowers" in model.report(name="flowers").html


def test_it_is_the_page_of_the_program(tree, iris, tmp_path, program):
    import subprocess

    X, y = iris
    pd.DataFrame(X, columns=[f"x{i}" for i in range(4)]).assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    tree.save(tmp_path / "m.json")
    words = [program, "report", "m.json", "rows.csv", "-o", "page.html"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)

    def stripped(page):
        return re.sub(r"m\.json|rows\.csv|CartClassifier", "", page)

    ours = softwood.load(tmp_path / "m.json").report(tmp_path / "rows.csv", name="m.json").html
    assert abs(len(stripped(ours)) - len(stripped((tmp_path / "page.html").read_text()))) < 400


def test_models_are_compared(tree, iris, tmp_path):
    X, y = iris
    other = CartClassifier(max_depth=1).fit(X, y)
    other.save(tmp_path / "small.json")
    page = tree.report(X, y, against=[other, tmp_path / "small.json"]).html
    assert "CartClassifier 2" in page and "small.json" in page
    assert "stump" in tree.report(X, y, against={"stump": other.model_}).html
    assert "Model 2" in tree.model_.report(X, y, against=other.model_).html
    with pytest.raises(softwood.Error, match="give X and y"):
        tree.report(against=[other])
    with pytest.raises(softwood.Error, match="can't be compared"):
        tree.report(X, y, against=[3])


def test_wrong_settings(tree, iris, diabetes):
    with pytest.raises(softwood.Error, match="rows"):
        tree.report(rows=-1)
    with pytest.raises(ValueError):
        CartClassifier().report()
    number = CartRegressor(max_depth=2).fit(*diabetes)
    assert "</html>" in number.report(*diabetes).html
    assert len(number.report(np.asarray(diabetes[0][:5])).html) > 0
