"""Truth values are the same whatever holds them: frames, arrays, files, classes."""

import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import softwood
from softwood import CartClassifier, TreeClassifier


@pytest.fixture(scope="module")
def flags():
    rng = np.random.default_rng(0)
    d = pd.DataFrame(rng.random((300, 3)) < 0.5, columns=list("abc"))
    return d, (d.a & (d.b | d.c)).astype(int).to_numpy()


def test_flags_of_a_frame_are_those_of_arrays_and_numbers(flags):
    d, y = flags
    tree = CartClassifier(ccp_alpha=0.0).fit(d, y)
    for X in (d, d.astype(int), d.astype(float), d.astype("boolean"), pa.Table.from_pandas(d)):
        assert tree.score(X, y) == 1.0, type(X)
    with pytest.warns(UserWarning, match="feature names"):
        assert tree.score(d.to_numpy(), y) == 1.0


def test_arrays_of_flags_are_those_of_frames(flags):
    d, y = flags
    tree = CartClassifier(ccp_alpha=0.0).fit(d.to_numpy(), y)
    with pytest.warns(UserWarning, match="feature names"):
        assert tree.score(d, y) == 1.0
    assert tree.model_.evaluate({f"x{i}": d[name] for i, name in enumerate("abc")}, y)["error"] == 0


def test_files_of_pandas_have_the_same_flags(flags, tmp_path, program):
    d, y = flags
    tree = CartClassifier(ccp_alpha=0.0).fit(d, y)
    d.assign(y=y).to_csv(tmp_path / "flags.csv", index=False)
    assert "True" in (tmp_path / "flags.csv").read_text()
    tree.save(tmp_path / "model.json")
    assert softwood.load(tmp_path / "model.json").evaluate(tmp_path / "flags.csv")["error"] == 0
    out = subprocess.run(
        [program, "predict", "model.json", "flags.csv"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "does not know" not in out.stderr
    assert [int(line.split(",")[0]) for line in out.stdout.splitlines()[1:]] == y.tolist()


def test_classes_of_truth_values(iris, tmp_path):
    X, y = iris[0], iris[1] > 0
    tree = CartClassifier().fit(X, y)
    assert tree.model_.classes == ["false", "true"]
    assert tree.predict(X).dtype == bool
    for cells in (y, y.astype(int), y.tolist(), np.where(y, "True", "False"), pa.array(y)):
        assert tree.model_.evaluate(X, cells)["error"] == 0
    tree.save(tmp_path / "model.json")
    loaded = TreeClassifier.load(tmp_path / "model.json")
    assert loaded.classes_.tolist() == [False, True]
    numbers = CartClassifier().fit(X, y.astype(int))
    assert numbers.model_.evaluate(X, y)["error"] == 0


def test_files_of_earlier_versions_keep_their_classes(iris, tmp_path):
    """They name the classes False and True."""
    X, y = iris[0], iris[1] > 0
    text = CartClassifier().fit(X, y).model_.to_text()
    (tmp_path / "model.json").write_text(text.replace('"false"', '"False"').replace('"true"', '"True"'))
    tree = TreeClassifier.load(tmp_path / "model.json")
    assert tree.model_.classes == ["False", "True"]
    assert tree.classes_.tolist() == [False, True]
    assert tree.score(X, y) == 1.0 and tree.model_.evaluate(X, y)["error"] == 0
    assert tree.plot("roc", X, y).svg.startswith("<svg")


def test_settings_by_truth_value(iris):
    X, y = iris[0], iris[1] > 0
    data = {f"x{i}": X[:, i] for i in range(4)}
    text = softwood.train(data, np.where(y, "True", "False"), positive=False, class_weights={True: 2.0})
    assert text.positive == "False"
