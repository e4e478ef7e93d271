"""Exports from Python."""

import numpy as np
import pytest

import softwood
from softwood import CartClassifier


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    return CartClassifier(max_depth=4, ccp_alpha=0.0).fit(X, y), X


def test_python_module_answers_as_the_model(fitted, tmp_path):
    tree, X = fitted
    text = tree.export("python", tmp_path / "tree.py")
    assert (tmp_path / "tree.py").read_text() == text
    module: dict = {}
    exec(text, module)  # noqa: S102
    names = tree.model_.inputs
    for row, probabilities, answer in zip(X[:50], tree.predict_proba(X), tree.predict(X)):
        cells = dict(zip(names, row.tolist()))
        assert list(module["predict_proba"](cells)) == probabilities.tolist()
        assert module["predict"](cells) == answer


def test_function_and_model_give_the_same_bytes(fitted):
    tree, _ = fitted
    for form in softwood._core.export_formats():
        assert softwood.export(tree, form) == tree.model_.export(form)


def test_header_and_names(fitted):
    tree, _ = fitted
    assert "iris_predict" in tree.export("c", name="iris")
    assert "iris_predict" in tree.export("c", name="iris", header=True)


def test_thresholds_change_the_class(fitted):
    tree, X = fitted
    module: dict = {}
    exec(tree.export("python", threshold=0.99), module)  # noqa: S102
    cells = [dict(zip(tree.model_.inputs, row.tolist())) for row in X]
    positive = tree.predict_proba(X)[:, 1]
    assert [module["predict"](row) == "yes" for row in cells] == (positive >= 0.99).tolist()


def test_onnx_is_bytes(fitted):
    assert isinstance(fitted[0].export("onnx"), bytes)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"to": "cobol"}, "no export format 'cobol'"),
        ({"to": "c", "name": "2x"}, "can't be '2x'"),
        ({"to": "c", "table": "t"}, "no option 'table'"),
        ({"to": "sql", "dialect": "mysql"}, "can't be 'mysql'"),
        ({"to": "c", "threshold": 2.0}, "from 0 to 1"),
    ],
)
def test_errors(fitted, settings, words):
    with pytest.raises(softwood.Error, match=words):
        fitted[0].export(**settings)
