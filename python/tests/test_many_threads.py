"""Many threads that fit, load and predict at once: the same answers as one alone."""

import os
import threading

import numpy as np
import pytest

import softwood
from softwood import CartClassifier, EvolvedTreeClassifier

THREADS = 8
LONG = os.environ.get("SOFTWOOD_LONG") == "1"


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    X[::17, 1] = np.nan
    return X, np.where(X[:, 0] + np.nan_to_num(X[:, 1]) > 0, "yes", "no")


def fits(X, y):
    return [CartClassifier(random_state=1).fit(X, y),
            EvolvedTreeClassifier(generations=5, population=6, islands=1, random_state=1).fit(X, y)]


def work_at_once(rows, tmp_path, predictions, trainings):
    X, y = rows
    shared = fits(X, y)
    usual = [tree.predict_proba(X) for tree in shared]
    texts = [tree.model_.to_text() for tree in shared]
    for number, tree in enumerate(shared):
        tree.save(tmp_path / f"{number}.json")
    wrong, done = [], []

    def work(own):
        for i in range(predictions):
            which = (i + own) % len(shared)
            if not (shared[which].predict_proba(X) == usual[which]).all():
                wrong.append("an answer")
            if i % (predictions // trainings):
                continue
            if [tree.model_.to_text() for tree in fits(X, y)] != texts:
                wrong.append("a fit")
            if softwood.load(tmp_path / f"{which}.json").to_text() != texts[which]:
                wrong.append("a loaded model")
        done.append(own)

    threads = [threading.Thread(target=work, args=(own,)) for own in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(THREADS))
    assert wrong == []


def test_eight_threads_at_once(rows, tmp_path):
    work_at_once(rows, tmp_path, 40, 4)


@pytest.mark.skipif(not LONG, reason="skipped: among the longest tests, with SOFTWOOD_LONG=1")
def test_eight_threads_with_ten_thousand_predictions_each(rows, tmp_path):
    work_at_once(rows, tmp_path, 10000, 50)
