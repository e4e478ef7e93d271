"""Training on rows in parts, as on Spark, but in this process: the same bytes as on all rows."""

import numpy as np
import pytest

import softwood
from softwood import _core
from softwood._data import to_columns
from softwood._functions import _train_settings


def train_in_parts(parts, target, *, recipe=None, method=None, weights="", task="", validation=(), small_rows=0, costs=None, seed=1, most_merged=200000, sent=None, nominal=(), coded_parts=None):
    """Every part is a dictionary of columns; returns (model text, passes). `sent` gets the bytes of the answers of each pass.
    `coded_parts` are what is found instead of the parts when they are coded."""
    options = _train_settings(method, recipe, None, seed=seed, costs=costs or {})
    settings = _core.DataSettings(target=target, weights=weights, task=task, nominal=list(nominal))
    training = _core.ClusterTraining(options, settings, max(len(parts), 1), small_rows, bool(validation), most_merged)
    passes = {}
    state = {}

    def merged(answers):
        result = None
        for answer in answers:
            result = answer if result is None else _core.merged_answers(result, answer)
        return result

    def decided(request, answers):
        """By piece, from the answers of the parts."""
        kept = state.setdefault("kept", [b""] * training.pieces)
        found = []
        for i in range(training.pieces):
            merger = _core.PieceMerger()
            for answer in answers:
                merger.add(answer[i])
            found.append(_core.decided(request, kept[i], [merger.take()] if answers else []))
        state["kept"] = [after for after, _ in found]
        return [answer for _, answer in found]

    def noted(kind, answers):
        if sent is not None:
            sent.setdefault(kind, []).append(sum(len(piece) for answer in answers for piece in answer))
        return answers

    def raw(request):
        answers = []
        for part in parts:
            rows = _core.RawRows(request)
            rows.add(to_columns({name: part[name] for name in rows.columns or part})[0])
            answers.append(rows.answer())
        return decided(request, noted("raw", answers))

    def grow(request):
        return decided(request, noted("grow", [_core.counted_rows(request, rows) for rows in state["rows"]]))

    def code(request):
        state["coded"] = [_core.coded_rows(request, to_columns(part)[0]) for part in coded_parts or parts]
        state["rows"] = [[rows] for _, rows in state["coded"]]
        state["known"] = [_core.coded_rows(request, to_columns(part)[0]) for part in validation]
        return b""

    def coded(request):
        return merged(*noted("coded", [[_core.coded_answer(request, rows, i) for i, rows in enumerate(state["rows"])]]))

    def exchange(request):
        received = [[] for _ in range(max(len(parts), 1))]
        for blocks in state["rows"]:
            for to, rows in _core.exchanged_rows(request, blocks):
                received[to].append(rows)
        state["rows"] = [[_core.gathered_rows(request, rows)] if rows else [] for rows in received]
        return b""

    def deal(request):
        state["rows"] = [[_core.dealt_rows(request, block, i) for block in rows] for i, rows in enumerate(state["rows"])]
        return b""

    def finish(request):
        nodes = {}
        for rows in state["rows"]:
            tree = 0
            while (found := _core.rows_by_node(request, rows, tree)) is not None:
                for node, own in found:
                    nodes.setdefault(node, []).append(own)
                tree += 1
        finisher = _core.NodeFinisher(request)
        return merged(finisher.finish(node, rows) for node, rows in nodes.items())

    work = {
        "raw": raw,
        "code": code,
        "facts": lambda _: merged(facts for facts, _ in state["coded"]),
        "grow": grow,
        "coded": coded,
        "exchange": exchange,
        "deal": deal,
        "finish": finish,
        "validation_facts": lambda _: merged(facts for facts, _ in state["known"]),
        "validation": lambda request: merged(_core.coded_answer(request, [rows], i) for i, (_, rows) in enumerate(state["known"])),
    }
    while (step := training.next()) is not None:
        kind, request = step
        passes[kind] = passes.get(kind, 0) + 1
        answers = work[kind](request)
        training.take(answers if isinstance(answers, list) else [answers] if answers else [])
    passes["growing"] = training.growing_passes
    return softwood.Model(training.result()[0]).to_text(), passes


def sample(rows, seed, classes=3, weights=None, copies=1):
    random = np.random.default_rng(seed)
    x = random.normal(size=rows)
    y = random.uniform(-5, 5, size=rows)
    y[random.random(rows) < 0.1] = np.nan
    z = random.integers(0, 20, size=rows).astype(float)
    levels = np.array(["red", "green", "blue", "grey", None], dtype=object)[random.integers(0, 5, size=rows)]
    score = x + np.where(np.isnan(y), 1, y) * (levels == "red") + 0.1 * z + random.normal(scale=0.5, size=rows)
    if classes:
        target = np.array([f"c{k}" for k in range(classes)], dtype=object)[
            np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
        ]
    else:
        target = score
    data = {"x": x, "y": y, "z": z, "colour": levels, "flag": random.random(rows) < 0.5}
    if weights == "whole":
        data["w"] = random.integers(0, 4, size=rows).astype(float)
    elif weights == "any":
        data["w"] = random.uniform(0, 2, size=rows)
    data["target"] = target
    return {name: np.concatenate([column] * copies) for name, column in data.items()}


def split(data, parts, seed=0):
    rows = len(data["target"])
    order = np.random.default_rng(seed).permutation(rows)
    return [{name: column[chunk] for name, column in data.items()} for chunk in np.array_split(order, parts)]


def as_on_one_machine(data, recipe, weights=None, **others):
    return softwood.train(data, "target", recipe=recipe, weights=weights, **others).to_text()


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("classes", [2, 3, 0])
@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_growing_is_that_of_one_machine(classes, weights):
    data = sample(3000, 1, classes, weights)
    recipe = "grow search=binned max-depth=6 bins=64"
    weight = "w" if weights else None
    expected = as_on_one_machine(data, recipe, weight)
    for parts in (1, 2, 7, 64):
        found, passes = train_in_parts(split(data, parts, parts), "target", recipe=recipe, weights=weight or "")
        assert found == expected, parts
        assert passes["growing"] <= 6 + 2
        assert passes["raw"] + passes["code"] <= 10


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("classes", [2, 0])
@pytest.mark.parametrize("weights, copies", [(None, 1), (None, 3), ("whole", 1)])
def test_pruning_by_folds_is_that_of_one_machine(classes, weights, copies):
    data = sample(1500, 2, classes, weights, copies)
    recipe = "grow search=binned bins=32 min-leaf=3 | prune folds=5"
    weight = "w" if weights else None
    expected = as_on_one_machine(data, recipe, weight)
    for parts in (1, 3, 16):
        found, passes = train_in_parts(split(data, parts, parts), "target", recipe=recipe, weights=weight or "", small_rows=100)
        assert found == expected, parts
        assert passes["finish"] == 1


@pytest.mark.parametrize("classes", [2, 0])
def test_parts_whose_rows_all_weigh_one(classes):
    """Their weights are not stored, and still count beside fractions in other parts."""
    data = sample(400, 14, classes)
    data["w"] = np.where(np.arange(400) % 150 == 7, 0.5, 1.0)
    data["target"] = data.pop("target")
    recipe = "grow search=binned max-depth=3 | prune folds=3"
    expected = as_on_one_machine(data, recipe, "w")
    assert softwood.Model.from_text(expected).leaves > 2
    for parts in (1, 8, 32):
        assert train_in_parts(split(data, parts, parts), "target", recipe=recipe, weights="w")[0] == expected, parts


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("recipe, trees, depth", [("grow search=binned max-depth=5 bins=32", 1, 5), ("grow search=binned max-depth=4 bins=32 | prune folds=3", 4, 4)])
def test_a_thousand_parts(recipe, trees, depth):
    """The passes stay those of few parts, and each part sends what docs/evidence/scale.md says."""
    data = sample(4000, 13, 2)
    data = {name: data[name] for name in ("x", "y", "z", "target")}
    expected = as_on_one_machine(data, recipe)
    parts, sent = 1000, {}
    # Nothing is finished in one place: rows are few, but stand for many.
    found, passes = train_in_parts(split(data, parts), "target", recipe=recipe, sent=sent, small_rows=1)
    assert found == expected
    assert passes["raw"] + passes["code"] <= 10
    assert passes["growing"] <= depth + 2
    columns, codes, classes = 3, 33, 2
    header = 200
    for level, total in enumerate(sent["grow"]):
        nodes = max(1, 2 ** (level - 1)) * trees
        # Counts are small: a byte per cell.
        assert total <= parts * (nodes * columns * codes * classes + 16 * header), level
    for total in sent["raw"][1:]:
        assert total <= parts * columns * (20 * 1024 + header)
    # Votes of held-out rows: of each class, and of none that is known.
    assert sum(sent.get("coded", [])) <= parts * trees * (2 ** (depth + 1) * (classes + 1) + 16 * header)


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("weights", ["", "w"])
def test_numbers_that_are_levels_are_those_of_all_rows(weights):
    """Also of rows that do not count: without a target, or of weight 0."""
    data = sample(600, 15, 2, "whole" if weights else None)
    data["z"][:2] = 99, 98
    if weights:
        data["w"][0] = 0
    data["target"][1] = None
    recipe = "grow search=binned max-depth=4"
    expected = as_on_one_machine(data, recipe, weights or None, nominal=["z"])
    for parts in (1, 5):
        assert train_in_parts(split(data, parts), "target", recipe=recipe, weights=weights, nominal=["z"])[0] == expected


def test_values_are_listed_after_one_pass():
    """The pass that describes rows also says about where bins end, of every column of its own."""
    random = np.random.default_rng(1)
    data = {f"x{i}": random.normal(size=60000) ** (2 * i + 1) for i in range(3)}
    for target in (data["x0"] + data["x1"], np.array(["a", "b"])[(data["x2"] > 0).astype(int)]):
        data["target"] = target
        recipe = "grow search=binned max-depth=2 bins=64"
        expected = as_on_one_machine(data, recipe)
        for parts in (1, 3, 12):
            found, passes = train_in_parts(split(data, parts), "target", recipe=recipe)
            assert found == expected
            assert passes["raw"] == 2, parts


def test_parts_without_values_of_a_column():
    """Where no row of a part has a value, the other parts say all about the column."""
    random = np.random.default_rng(2)
    rows = 40000
    data = {"x": random.normal(size=rows), "since": random.normal(size=rows)}
    data["since"][: rows // 4] = np.nan
    data["target"] = np.where(np.nan_to_num(data["since"]) + data["x"] > 0, "a", "b")
    parts = [{name: column[chunk] for name, column in data.items()} for chunk in np.array_split(np.arange(rows), 4)]
    recipe = "grow search=binned max-depth=3 bins=64"
    expected = as_on_one_machine(data, recipe)
    for order in (parts, parts[::-1]):
        found, passes = train_in_parts(order, "target", recipe=recipe)
        assert found == expected
        assert passes["raw"] == 2


def test_rows_in_the_order_of_an_input():
    """What the first rows of a part say of the others is wrong then: counts find the bins all the same."""
    rows = 300000
    x = np.sort(np.random.default_rng(3).normal(size=rows))
    data = {"x": x, "target": np.where(np.arange(rows) // 1000 % 3 == 0, "a", "b")}
    parts = [{name: column[chunk] for name, column in data.items()} for chunk in np.array_split(np.arange(rows), 2)]
    found, passes = train_in_parts(parts, "target", recipe="grow search=binned max-depth=3")
    assert found == as_on_one_machine(data, "grow search=binned max-depth=3")
    assert 2 < passes["raw"] <= 6


def test_small_nodes_are_finished_in_one_place():
    data = sample(2000, 3, 2)
    recipe = "grow search=binned"
    expected = as_on_one_machine(data, recipe)
    counts = set()
    for small_rows in (1, 50, 500):
        found, passes = train_in_parts(split(data, 4), "target", recipe=recipe, small_rows=small_rows)
        assert found == expected
        counts.add(passes["growing"])
    assert len(counts) > 1


@pytest.mark.parametrize("classes", [2, 0])
def test_validation_rows_choose_as_on_one_machine(classes):
    data, known = sample(1500, 4, classes), sample(700, 5, classes)
    recipe = "grow search=binned | prune rule=min"
    expected = softwood.train(data, "target", recipe=recipe, validation=known).to_text()
    found, passes = train_in_parts(split(data, 3), "target", recipe=recipe, validation=split(known, 2))
    assert found == expected
    assert "exchange" not in passes


def test_costs_count_as_on_one_machine():
    data = sample(1500, 6, 2)
    costs = {"c0": {"c1": 7.5}}
    recipe = "grow search=binned max-depth=5 | prune folds=4"
    expected = softwood.train(data, "target", recipe=recipe, costs=costs).to_text()
    assert train_in_parts(split(data, 3), "target", recipe=recipe, costs=costs)[0] == expected
    assert train_in_parts(split(data, 3), "target", recipe=recipe)[0] != expected


@pytest.mark.parametrize(
    "classes, weights, copies",
    [(2, None, 1), (3, None, 3), (2, "whole", 1), (2, "any", 1), (0, None, 1), (0, None, 3), (0, "any", 1)],
)
def test_evolving_is_that_of_one_machine(classes, weights, copies):
    data = sample(1500, 10, classes, weights, copies)
    recipe = "evolve cuts=bins generations=20 max-depth=4"
    weight = "w" if weights else None
    expected = as_on_one_machine(data, recipe, weight)
    assert softwood.Model.from_text(expected).leaves > 2
    for parts in (1, 3, 16):
        found, passes = train_in_parts(split(data, parts, parts), "target", recipe=recipe, weights=weight or "")
        assert found == expected, parts
        assert passes["growing"] == 0 and passes["coded"] == 1


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("classes", [2, 0])
def test_evolving_from_some_of_the_different_rows(classes):
    data = sample(1500, 11, classes)
    recipe = "evolve cuts=bins generations=10 max-depth=3"
    expected = as_on_one_machine(data, recipe)
    found = {train_in_parts(split(data, parts, parts), "target", recipe=recipe, most_merged=300)[0] for parts in (1, 2, 9)}
    assert len(found) == 1 and expected not in found


def test_evolving_with_exact_places_needs_rows_in_one_place():
    assert "all rows in one place" in str(error_of([sample(100, 12, 2)], "evolve"))


def test_quantiles_are_exact_where_values_are_many():
    random = np.random.default_rng(7)
    rows = 60_000
    # Many values, a heavy one among them, and far outliers.
    x = np.where(random.random(rows) < 0.3, 1.5, random.lognormal(3, 4, size=rows))
    data = {"x": x, "u": random.random(rows), "target": (np.log(x) + random.normal(size=rows) > 2).astype(int)}
    recipe = "grow search=binned max-depth=4"
    expected = as_on_one_machine(data, recipe)
    for parts in (1, 5):
        assert train_in_parts(split(data, parts), "target", recipe=recipe)[0] == expected


def error_of(parts, recipe="grow search=binned", **others):
    with pytest.raises(softwood.Error) as caught:
        train_in_parts(parts, "target", recipe=recipe, **others)
    return caught.value


def test_bad_input_is_refused_before_the_first_long_pass():
    data = sample(200, 8, 2)
    assert "only one class" in str(error_of([{**data, "target": np.array(["a"] * 200, dtype=object)}]))
    assert "no row has a value" in str(error_of([{**data, "target": np.full(200, np.nan)}]))
    assert "is no weight" in str(error_of([{**data, "w": np.full(200, -1.0)}], weights="w"))
    assert "are zero" in str(error_of([{**data, "w": np.zeros(200)}], weights="w"))
    assert "there is no column 'target'" in str(error_of([{"x": data["x"]}]))
    many = np.array([f"id{i % 70000}" for i in range(140000)], dtype=object)
    target = np.array(["a", "b"] * 70000, dtype=object)
    assert "more than 65536 levels" in str(error_of([{"id": many, "target": target}]))
    assert "max-leaves" in str(error_of([data], "grow search=binned max-leaves=4"))
    assert "regression needs a numeric target" in str(error_of([data], task="regression"))


def test_rows_that_change_between_passes_are_refused():
    data = sample(300, 16, 2, "any")
    parts = split(data, 3)
    fewer = [*parts[:2], {name: cells[1:] for name, cells in parts[2].items()}]
    assert "300 rows of weight" in str(error_of(parts, coded_parts=fewer, weights="w"))
    heavier = [*parts[:2], {**parts[2], "w": parts[2]["w"] * 2}]
    error = error_of(parts, coded_parts=heavier, weights="w")
    assert "rows changed between two passes" in str(error) and "checkpoint" in error.hint
    assert train_in_parts(parts, "target", recipe="grow search=binned", weights="w", coded_parts=parts[::-1])


def test_messages_of_others_are_refused():
    data = sample(50, 9, 2)
    training = _core.ClusterTraining(_train_settings(None, "grow search=binned", None), _core.DataSettings(target="target"), 1)
    _, request = training.next()
    rows = _core.RawRows(request)
    rows.add(to_columns(data)[0])
    (answer,) = rows.answer()
    for broken in (b"", answer[:-1], answer + b"x", b"X" + answer[1:], answer[:4] + b"\x63" + answer[5:]):
        with pytest.raises(softwood.Error):
            training.take([broken])
