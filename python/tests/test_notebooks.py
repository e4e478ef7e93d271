"""The notebooks run, the examples of the guide run, and the tree shows itself."""

import doctest
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import softwood
from softwood import CartClassifier, CartRegressor

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
NOTEBOOKS = sorted((GUIDE / "notebooks").glob("*.ipynb"))


def test_there_are_four():
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    NotebookClient(notebook, timeout=None, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output.data.get("text/html", "") for cell in notebook.cells for output in cell.get("outputs", [])
             if "data" in output]  # fmt: skip
    assert any("softwood-tree" in text for text in shown)


def test_examples_of_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (GUIDE / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 5
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    output = []
    assert runner.run(test, out=output.append).failed == 0, "".join(output)


def test_large_trees_are_cut_off():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20000, 3)), rng.integers(0, 12, 20000)
    tree = CartClassifier(ccp_alpha=0.0).fit(X, y)
    text = tree._repr_html_()
    counts = Balanced(text).counts
    assert tree.model_.nodes > 5000 and counts["span.row"] <= 500 and len(text) < 600_000
    assert f"{tree.model_.nodes - counts['span.row']} more nodes" in text
    assert "5 others" in text  # classes beyond the colours
    small = CartClassifier(max_depth=2, ccp_alpha=0.0).fit(X[:3], [0, 1, 2])._repr_html_()
    assert "1 row<" in small and "more node" not in small


def test_the_display_of_scikit_learn(iris):
    import sklearn

    for tree in (CartClassifier(), CartClassifier().fit(*iris)):
        assert "text/html" in tree._repr_mimebundle_()
        with sklearn.config_context(display="text"):
            assert list(tree._repr_mimebundle_()) == ["text/plain"]


class Balanced(HTMLParser):
    """Counts tags and checks that they close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.counts = [], {}
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        key = tag + "".join(f".{value}" for name, value in attributes if name in ("class", "open") and value)
        self.counts[key] = self.counts.get(key, 0) + 1
        if ("open", "") in attributes or ("open", None) in attributes:
            self.counts["open"] = self.counts.get("open", 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_has_every_node(iris):
    X, y = iris
    tree = CartClassifier().fit(X, y)
    page = Balanced(tree._repr_html_())
    assert page.counts["details"] + page.counts["div.leaf"] == tree.tree_.node_count
    assert page.counts["open"] == page.counts["details"]


def test_html_of_large_trees_is_collapsed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 3)), rng.normal(size=2000)
    tree = CartRegressor(ccp_alpha=0.0).fit(X, y)
    page = Balanced(tree._repr_html_())
    assert tree.tree_.node_count > 1000
    assert page.counts["open"] < 60 < page.counts["details"]


def test_html_escapes_names():
    model = softwood.train({"<b>": [1.0, 2.0, 3.0, 4.0], "y": ["<i>", "<i>", "&", "&"]}, recipe="grow")
    assert "<b>" not in model._repr_html_() and "&lt;b&gt;" in model._repr_html_()


def test_before_fitting_scikit_learn_shows_itself():
    assert "sk-" in CartClassifier()._repr_html_()
