"""Programs as users of scikit-learn's trees write them, with ours instead; the same answers on rows
that single precision holds exactly and that have no tied splits."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from softwood import CartClassifier, CartRegressor


def classifiers(**parameters):
    theirs = {"random_state": 0, **parameters}
    return CartClassifier(**{"ccp_alpha": 0.0, **theirs}), DecisionTreeClassifier(**theirs)


def regressors(**parameters):
    theirs = {"random_state": 0, **parameters}
    return CartRegressor(**{"ccp_alpha": 0.0, **theirs}), DecisionTreeRegressor(**theirs)


CLASSIFIER_SETTINGS = [
    {},
    {"max_depth": 3},
    {"criterion": "entropy", "max_depth": 4},
    {"criterion": "log_loss", "min_samples_leaf": 10},
    {"min_samples_split": 40},
    {"min_samples_leaf": 0.05},
    {"min_samples_split": 0.2},
    {"max_leaf_nodes": 6},
    {"min_impurity_decrease": 0.01},
    {"ccp_alpha": 0.01},
    {"class_weight": "balanced", "max_depth": 3},
    {"class_weight": {0: 1, 1: 2, 2: 4}, "max_depth": 3},
]
REGRESSOR_SETTINGS = [
    {},
    {"max_depth": 3},
    {"criterion": "squared_error", "min_samples_leaf": 12},
    {"max_leaf_nodes": 9},
    {"min_impurity_decrease": 5.0},
    {"ccp_alpha": 3.0},
    {"min_samples_leaf": 0.1},
]


@pytest.mark.parametrize("settings", CLASSIFIER_SETTINGS, ids=str)
def test_same_classifier(exact, settings):
    X, y, _ = exact
    ours, theirs = classifiers(**settings)
    ours.fit(X, y), theirs.fit(X, y)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)
    assert ours.get_depth() == theirs.get_depth() and ours.get_n_leaves() == theirs.get_n_leaves()


@pytest.mark.parametrize("settings", REGRESSOR_SETTINGS, ids=str)
def test_same_regressor(exact, settings):
    X, _, y = exact
    ours, theirs = regressors(**settings)
    ours.fit(X, y), theirs.fit(X, y)
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert ours.get_n_leaves() == theirs.get_n_leaves()


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_pruning_path_of_classes(exact, criterion):
    X, y, _ = exact
    ours, theirs = classifiers(criterion=criterion)
    mine, path = ours.cost_complexity_pruning_path(X, y), theirs.cost_complexity_pruning_path(X, y)
    assert np.allclose(mine.ccp_alphas, path.ccp_alphas, rtol=0, atol=1e-9)
    assert np.allclose(mine.impurities, path.impurities, rtol=0, atol=1e-9)


def test_pruning_path_of_numbers_with_weights(exact):
    X, _, y = exact
    weight = np.arange(len(y)) % 3 + 1.0
    ours, theirs = regressors(min_samples_leaf=5)
    weight[:] = 2.0  # limits of ours count weight
    ours.set_params(min_samples_leaf=10)
    mine = ours.cost_complexity_pruning_path(X, y, sample_weight=weight)
    path = theirs.cost_complexity_pruning_path(X, y, sample_weight=weight)
    assert np.allclose(mine.ccp_alphas, path.ccp_alphas, rtol=1e-9, atol=1e-9)
    assert np.allclose(mine.impurities, path.impurities, rtol=1e-9)


def test_trees_along_the_path(exact):
    """The example of scikit-learn's documentation: a tree for every alpha of the path."""
    X, _, y = exact
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    mine, path = (tree.cost_complexity_pruning_path(X_train, y_train) for tree in regressors(max_depth=5))
    counts = []
    for alpha, same in zip(mine.ccp_alphas, path.ccp_alphas, strict=True):
        ours = CartRegressor(ccp_alpha=alpha, max_depth=5).fit(X_train, y_train)
        theirs = DecisionTreeRegressor(ccp_alpha=same, max_depth=5, random_state=0).fit(X_train, y_train)
        counts.append(ours.tree_.node_count)
        assert np.allclose(ours.predict(X_test), theirs.predict(X_test), rtol=1e-9)
    assert counts == sorted(counts, reverse=True) and counts[-1] == 1


def test_tree_arrays(exact):
    X, y, _ = exact
    ours, theirs = classifiers(max_depth=4)
    mine, tree = ours.fit(X, y).tree_, theirs.fit(X, y).tree_
    assert mine.node_count == tree.node_count
    # The same nodes in another order: walk both from the root.
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        assert mine.n_node_samples[a] == tree.n_node_samples[b]
        assert mine.weighted_n_node_samples[a] == tree.weighted_n_node_samples[b]
        assert mine.impurity[a] == pytest.approx(tree.impurity[b], abs=1e-12)
        assert np.allclose(mine.value[a], tree.value[b])
        assert (mine.children_left[a] == -1) == (tree.children_left[b] == -1)
        if mine.children_left[a] >= 0:
            assert mine.feature[a] == tree.feature[b]
            assert mine.threshold[a] == tree.threshold[b]
            pairs.append((mine.children_left[a], tree.children_left[b]))
            pairs.append((mine.children_right[a], tree.children_right[b]))


def test_weighted_tree_counts_rows(exact):
    X, y, _ = exact
    weight = np.tile([0.0, 1.0, 2.0, 1.0], 100)
    ours, theirs = classifiers(max_depth=2)
    mine, tree = ours.fit(X, y, sample_weight=weight).tree_, theirs.fit(X, y, sample_weight=weight).tree_
    assert mine.weighted_n_node_samples[0] == tree.weighted_n_node_samples[0] == 400
    assert mine.n_node_samples[0] == 300  # rows without weight do not count


def test_walk_the_tree_by_hand(exact):
    X, y, _ = exact
    tree = CartClassifier(ccp_alpha=0.0, max_depth=5).fit(X, y)
    arrays, nodes = tree.tree_, np.zeros(len(X), dtype=int)
    for _ in range(tree.get_depth()):
        inner = arrays.children_left[nodes] >= 0
        feature, threshold = arrays.feature[nodes], arrays.threshold[nodes]
        left = X[np.arange(len(X)), np.maximum(feature, 0)] <= threshold
        below = np.where(left, arrays.children_left[nodes], arrays.children_right[nodes])
        nodes = np.where(inner, below, nodes)
    assert (nodes == tree.apply(X)).all()
    assert (tree.classes_[arrays.value[nodes, 0].argmax(axis=1)] == tree.predict(X)).all()


def test_decision_path(exact):
    X, y, _ = exact
    ours, theirs = classifiers(max_depth=4)
    mine, path = ours.fit(X, y).decision_path(X), theirs.fit(X, y).decision_path(X)
    assert mine.shape == path.shape
    assert (mine.sum(axis=1) == path.sum(axis=1)).all()
    leaves = ours.apply(X)
    assert mine[np.arange(len(X)), leaves].all() and (mine[:, 0] == 1).sum() == len(X)


def test_importances(exact):
    X, y, score = exact
    ours, theirs = classifiers(max_depth=4)
    assert np.allclose(ours.fit(X, y).feature_importances_, theirs.fit(X, y).feature_importances_, atol=1e-12)
    ours, theirs = regressors(max_depth=4)
    assert np.allclose(ours.fit(X, score).feature_importances_, theirs.fit(X, score).feature_importances_)


def test_default_prunes_by_cross_validation(exact):
    X, _, score = exact
    y = np.digitize(score, [50, 90])
    tree, whole = CartClassifier().fit(X, y), CartClassifier(ccp_alpha=0.0).fit(X, y)
    assert 1 < tree.get_n_leaves() < whole.get_n_leaves()
    assert whole.score(X, y) == 1.0


def test_scores(exact):
    X, y, score = exact
    for pair, target in ((classifiers(max_depth=3), y), (regressors(max_depth=3), score)):
        ours, theirs = (tree.fit(X, target) for tree in pair)
        assert ours.score(X, target) == pytest.approx(theirs.score(X, target), abs=1e-12)
    assert accuracy_score(y, classifiers()[0].fit(X, y).predict(X)) == 1.0
    assert r2_score(score, regressors()[0].fit(X, score).predict(X)) == pytest.approx(1.0)


def test_model_selection(exact):
    X, _, y = exact
    grid = {"max_depth": [2, 4, 6]}
    found = [GridSearchCV(tree, grid, cv=4).fit(X, y).best_params_ for tree in regressors()]
    assert found[0] == found[1]
    ours, theirs = (cross_val_score(tree, X, y, cv=4) for tree in regressors(max_depth=3))
    assert np.allclose(ours, theirs)
    ours, theirs = (cross_val_predict(tree, X, y, cv=4) for tree in regressors(max_depth=3))
    assert np.allclose(ours, theirs)


def test_one_against_the_rest(exact):
    X, y, _ = exact
    ours, theirs = (OneVsRestClassifier(tree).fit(X, y) for tree in classifiers(max_depth=3))
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_text_and_log_proba(exact):
    X, y, _ = exact
    ours, theirs = (tree.fit(X, y) for tree in classifiers(max_depth=2))
    assert np.allclose(np.exp(ours.predict_log_proba(X)), theirs.predict_proba(X))
    assert "x1 <=" in ours.show() and len(ours.rules()) == ours.get_n_leaves()
    assert ours.rules()[0].text.startswith("if x")


def test_validation_curve(exact):
    from sklearn.model_selection import validation_curve

    X, _, y = exact
    depths = [1, 2, 4]
    mine, same = (
        validation_curve(tree, X, y, param_name="max_depth", param_range=depths, cv=3) for tree in regressors()
    )
    assert np.allclose(mine[0], same[0], rtol=1e-9) and np.allclose(mine[1], same[1], rtol=1e-9)


def test_several_scores_and_a_confusion_matrix(exact):
    from sklearn.metrics import confusion_matrix
    from sklearn.model_selection import cross_validate

    X, y, _ = exact
    scoring = ["accuracy", "f1_macro", "balanced_accuracy"]
    mine, same = (cross_validate(tree, X, y, scoring=scoring, cv=3) for tree in classifiers(max_depth=4))
    assert all(np.allclose(mine[f"test_{name}"], same[f"test_{name}"]) for name in scoring)
    tables = [confusion_matrix(y, cross_val_predict(tree, X, y, cv=3)) for tree in classifiers(max_depth=4)]
    assert (tables[0] == tables[1]).all()


def test_the_tree_written_as_code(exact):
    """A walk over the arrays that becomes a function of Python."""
    X, y, _ = exact

    def code(tree, node=0, indent="    "):
        if tree.children_left[node] == -1:
            return f"{indent}return {int(np.argmax(tree.value[node]))}\n"
        left, right = (code(tree, side[node], indent + "    ") for side in (tree.children_left, tree.children_right))
        return f"{indent}if x[{tree.feature[node]}] <= {tree.threshold[node]!r}:\n{left}{indent}else:\n{right}"

    for tree in classifiers():
        space = {"np": np}
        exec("def answer(x):\n" + code(tree.fit(X, y).tree_), space)
        assert [space["answer"](row) for row in X] == tree.predict(X).tolist()


def test_a_vote_of_trees(exact):
    from sklearn.ensemble import VotingClassifier

    X, y, _ = exact
    pairs = [classifiers(max_depth=depth) for depth in (1, 2, 4)]
    votes = [
        VotingClassifier([(str(i), pair[side]) for i, pair in enumerate(pairs)], voting="soft").fit(X, y)
        for side in (0, 1)
    ]
    assert np.allclose(votes[0].predict_proba(X), votes[1].predict_proba(X), rtol=0, atol=1e-12)


def test_a_pipeline_that_fills_and_selects(exact):
    from sklearn.feature_selection import SelectFromModel
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    X, y, _ = exact
    holes = X.copy()
    holes[::50, 4] = np.nan
    answers = []
    for tree, inner in zip(classifiers(max_depth=4), classifiers(max_depth=3)):
        chain = make_pipeline(SimpleImputer(strategy="median"), SelectFromModel(inner, threshold=0.05), tree)
        answers.append(chain.fit(holes, y).predict(holes))
        assert chain[1].get_support().sum() < X.shape[1]
    assert (answers[0] == answers[1]).all()
