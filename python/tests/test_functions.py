"""Training without scikit-learn, and the program inside the package."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import softwood


@pytest.fixture(scope="module")
def credit():
    frame = softwood.generate("twonorm", rows=300, seed=5)
    return frame


def test_train_predict_evaluate(credit):
    model = softwood.train(credit)
    target = credit.columns[-1]
    assert model.target == target and model.is_classifier
    figures = model.evaluate(credit)
    assert figures["rows"] == 300 and figures["confusion"].sum() == 300
    assert figures["accuracy"] == pytest.approx((model.predict(credit) == credit[target].astype(str)).mean())
    assert np.allclose(model.predict_proba(credit).sum(axis=1), 1)
    assert len(model.paths(credit)) == 300
    assert model.evaluate(credit.drop(columns=target), credit[target]) ["error"] == figures["error"]


def test_recipe_and_settings(credit):
    by_recipe = softwood.train(credit, recipe="grow min-leaf=20 | prune rule=min")
    by_settings = softwood.train(credit, method="cart", settings={"grow.min-leaf": 20, "prune.rule": "min"})
    assert by_recipe.show() == by_settings.show()
    with pytest.raises(softwood.Error, match="can't be given together"):
        softwood.train(credit, method="cart", recipe="grow")
    with pytest.raises(softwood.Error, match="min-leave"):
        softwood.train(credit, settings={"grow.min-leave": 5})


def test_rework(credit):
    from softwood._functions import rework

    whole = softwood.train(credit, recipe="grow")
    assert rework(whole, softwood.generate("twonorm", rows=300, seed=6), "prune").leaves < whole.leaves


def test_files(credit, tmp_path):
    path = tmp_path / "rows.csv"
    credit.to_csv(path, index=False)
    model = softwood.train(path)
    model.save(tmp_path / "model.json")
    again = softwood.load(tmp_path / "model.json")
    assert again.to_text() == model.to_text() == pickle.loads(pickle.dumps(model)).to_text()
    assert (again.predict(path) == model.predict(credit)).all()
    read = softwood.read(path)
    assert list(read.columns) == list(credit.columns) and len(read) == 300
    with pytest.raises(softwood.Error) as caught:
        softwood.load(path)
    assert caught.value.kind == "model"


def test_cross_validate(credit):
    found = softwood.cross_validate(credit, method=["cart", "c45"], folds=5)
    assert found.names == ["cart", "c45"] and len(found.figures[0]["error"]) == 5
    assert found.comparisons[0][:2] == (0, 1)
    assert set(found.mean("accuracy")) == {"cart", "c45"}
    assert len(found.to_frame()) == 10
    tests = [np.arange(0, 150), np.arange(150, 300)]
    assert len(softwood.cross_validate(credit, folds=tests).figures[0]["error"]) == 2


def test_methods():
    table = softwood.methods()
    assert table["cart"]["recipe"] == "grow | prune"
    with pytest.raises(softwood.Error, match="no method"):
        softwood.methods("carts")


def test_views(credit):
    model = softwood.train(credit)
    for view in ("tree", "rpart", "c50", "rules", "pruning", "summary"):
        assert model.show(view)
    frame = model.to_frame()
    assert len(frame) == model.nodes and frame["is_leaf"].sum() == model.leaves
    assert sum(rule.share for rule in model.rules()) == pytest.approx(1)
    assert model.pruning["cv_error"].shape == model.pruning["alpha"].shape
    assert sum(model.importances.values()) == pytest.approx(1)


def test_budget_and_checkpoint(credit, tmp_path):
    recipe = "evolve generations=1000000 patience=1000000"
    model = softwood.train(credit, recipe=recipe, budget="0.3s", checkpoint=tmp_path / "state")
    assert model.stopped == "budget" and (tmp_path / "state").exists()


# What the library has to say names no flags of the program, and of estimators their parameters.
WORDED = {
    "range": (lambda X, y: softwood.CartClassifier(max_depth=-1).fit(X, y), "'max_depth' can't be '-1'", "or None"),
    "conflict": (
        lambda X, y: softwood.CartClassifier(ccp_alpha=0.1, rule="min").fit(X, y),
        "'rule' has no effect with ccp_alpha=0.1",
        'ccp_alpha="cv"',
    ),
    "column": (
        lambda X, y: softwood.CartClassifier(monotonic_cst={"z": 1}).fit(X, y),
        "monotonic_cst: there is no input 'z'",
        "x0, x1",
    ),
    "alpha": (lambda X, y: softwood.CartClassifier(ccp_alpha="auto").fit(X, y), "ccp_alpha='auto'", '"cv"'),
    "random_state": (lambda X, y: softwood.CartClassifier(random_state=-1).fit(X, y), "random_state=-1", "whole"),
    "seed": (lambda X, y: softwood.train({"a": y}, y, seed="x"), "seed='x'", "whole"),
    "setting": (
        lambda X, y: softwood.train({"a": y}, y, settings={"min-leaf": 3}),
        "names no stage",
        "settings={'grow.min-leaf': '3'}",
    ),
    "stage": (
        lambda X, y: softwood.train({"a": y}, y, settings={"soften.by": "anneal"}),
        "a stage that the recipe does not have",
        "recipe='grow | prune | soften'",
    ),
    "parameter": (lambda X, y: softwood.train({"a": y}, y, recipe="grow seed=3"), "no option 'seed'", "random_state"),
    "task": (lambda X, y: softwood.train({"a": y}, X[:, 0], method="c45"), "'c45' is for", "task='classification'"),
    "order": (
        lambda X, y: softwood.train({"a": list("uvw") * 20}, X[:, 0], settings={"grow.monotone": "a:+"}),
        "without an order",
        "ordinal=",
    ),
    "model": (lambda X, y: softwood.load(__file__), "not a JSON document", "save()"),
}


@pytest.mark.parametrize("kind", WORDED)
def test_errors_are_in_the_words_of_python(kind):
    X = np.random.default_rng(0).normal(size=(60, 2))
    work, message, hint = WORDED[kind]
    with pytest.raises(softwood.Error) as caught:
        work(X, np.where(X[:, 0] > 0, 1, 0))
    assert message in caught.value.message and hint in caught.value.hint
    assert "--" not in str(caught.value)


def test_files_without_a_header(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("1,2,u\n3,4,v\n" * 10)
    assert softwood.train(path, header=False, recipe="grow").inputs == ["c1", "c2"]


def test_weights_and_roles():
    frame = pd.DataFrame({"a": np.arange(60.0) % 7, "w": np.ones(60), "id": [f"k{i}" for i in range(60)]})
    frame["y"] = np.where(frame["a"] > 3, "high", "low")
    model = softwood.train(frame, "y", weights="w", ignore=["id"])
    assert model.inputs == ["a"]
    assert softwood.train(frame[["a"]], frame["y"]).target == "y"


def test_without_pandas(credit, tmp_path):
    credit.to_csv(tmp_path / "rows.csv", index=False)
    code = (
        "import sys; sys.modules['pandas'] = None; sys.modules['sklearn'] = None\n"
        "import softwood, numpy as np\n"
        "data = softwood.read('rows.csv'); model = softwood.train(data)\n"
        "assert isinstance(model.to_frame(), dict)\n"
        "tree = softwood.CartClassifier().fit(np.eye(8), [0, 1] * 4); tree.predict(np.eye(8))\n"
        "assert 'sklearn.base' not in sys.modules; print(model.leaves)"
    )
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_importing_is_light():
    code = "import sys, softwood; print('sklearn' in sys.modules, 'pandas' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "False"]


def test_program_in_the_package(tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "softwood", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert run("--version").stdout == f"softwood {softwood.__version__}\n"
    assert run("data", "generate", "twonorm", "rows=50", "-o", "rows.csv").returncode == 0
    assert run("train", "rows.csv", "-o", "model.json").returncode == 0
    assert run("train", "nothing.csv").returncode == 3
    assert run("rain").returncode == 2
    program = os.environ.get("SOFTWOOD_PROGRAM")
    if program:
        assert run("--help").stdout == subprocess.check_output([program, "--help"], text=True)
