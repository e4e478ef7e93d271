"""Threads, processes and interruption."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import softwood
import softwood._functions
from softwood import CartClassifier


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20000, 10))
    return X, (X[:, 0] * X[:, 1] + rng.normal(0, 0.3, len(X)) > 0).astype(int)


def test_any_number_of_threads_gives_the_same_tree(rows):
    X, y = rows
    one = CartClassifier(n_jobs=None).fit(X, y)
    assert one._threads() == 1
    for n_jobs in (2, -1):
        other = CartClassifier(n_jobs=n_jobs).fit(X, y)
        assert other.model_.to_text() == one.model_.to_text()
        assert (other.predict_proba(X) == one.predict_proba(X)).all()


def test_the_interpreter_lock_is_released(rows):
    X, y = rows
    running = threading.Thread(target=lambda: CartClassifier().fit(X, y))
    running.start()
    ticks = 0
    while running.is_alive():
        time.sleep(0.001)
        ticks += 1
    running.join()
    assert ticks > 10


def test_two_fits_in_two_threads(rows):
    X, y = rows
    trees = [CartClassifier(max_depth=d, ccp_alpha=0.0) for d in (4, 6)]
    threads = [threading.Thread(target=tree.fit, args=(X, y)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [tree.get_depth() for tree in trees] == [4, 6]


def _fit_in_child(X, y, tree, queue):
    again = CartClassifier(n_jobs=2, max_depth=5, ccp_alpha=0.0).fit(X, y)
    queue.put((again.get_depth(), int((tree.predict(X) == again.predict(X)).sum())))


def test_after_fork(rows):
    """multiprocessing's default on Linux, after threads of the library have run."""
    X, y = rows
    tree = CartClassifier(n_jobs=2, max_depth=5, ccp_alpha=0.0).fit(X, y)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(X, y, tree, queue))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert queue.get() == (5, len(y))


# A stage is interrupted when it reports progress.
STAGES = {
    "grow": 'recipe="grow split=oblique restarts=5"',
    "prune": 'recipe="grow split=oblique jumps=60 | prune folds=20"',
    "evolve": 'recipe="evolve generations=1000000 patience=1000000"',
    "soften": 'recipe="grow | prune rule=min | soften by=anneal patience=1000000"',
    "grow-soft": 'method="soft-refined"',
}


@pytest.mark.parametrize("stage", STAGES)
def test_keyboard_interrupt(stage, tmp_path):
    code = textwrap.dedent(f"""
        import os, signal, numpy as np, softwood, softwood._functions
        rng = np.random.default_rng(0)
        X = rng.normal(size=(30000, 8)); y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
        data = {{f"x{{i}}": X[:, i] for i in range(8)}}
        class Interrupt(softwood._functions.ProgressBar):
            def __call__(self, stage, activity, share):
                if stage == "{stage}": os.kill(os.getpid(), signal.SIGINT)
        softwood._functions.ProgressBar = Interrupt
        try:
            softwood.train(data, y, threads=2, verbose=1, {STAGES[stage]})
        except KeyboardInterrupt:
            print("interrupted")
        else:
            print("finished")
    """)
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert out.stdout.startswith("interrupted"), out.stdout + out.stderr


def test_work_that_does_not_end_is_left_behind():
    """It goes on in the background while others run, and the process waits for it at its end."""
    code = textwrap.dedent("""
        import os, signal, threading, numpy as np, softwood, softwood._core as core
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60000, 12)); y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
        data = {f"x{i}": X[:, i] for i in range(12)}
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            softwood.train(data, y, threads=1, recipe="grow-soft shape=full depth=4")
        except KeyboardInterrupt:
            print("interrupted")
        print(softwood.train({"a": [1, 2, 3, 4]}, ["u", "v"] * 2).leaves)
        core.wait_for_abandoned()
        print("ended")
    """)
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert out.stdout.split() == ["interrupted", "1", "ended"], out.stdout + out.stderr
    assert out.returncode == 0


def test_reading_is_interrupted(tmp_path):
    """Also work that nobody can tell to stop."""
    code = textwrap.dedent("""
        import signal, softwood
        def ring(*_): raise KeyboardInterrupt
        softwood.read("rows.csv")  # what is imported first must not be interrupted
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            while True: softwood.read("rows.csv")
        except KeyboardInterrupt:
            print("interrupted")
    """)
    softwood.generate("twonorm", rows=50000).to_csv(tmp_path / "rows.csv", index=False)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert out.stdout == "interrupted\n" and out.returncode == 0, out.stdout + out.stderr


def test_interrupted_fit_leaves_the_estimator_as_it_was(rows, monkeypatch):
    X, y = rows
    tree = CartClassifier(max_depth=2, ccp_alpha=0.0).fit(X, y)
    before = tree.model_.to_text()
    slow = tree.set_params(max_depth=None, ccp_alpha="cv", cv=200, verbose=1)

    class Interrupt(softwood._functions.ProgressBar):
        def __call__(self, stage, activity, share):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(softwood._functions, "ProgressBar", Interrupt)
    # What was started in the background ignores the signal.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            slow.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert tree.model_.to_text() == before


def test_progress_bar(monkeypatch):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    from softwood._progress import ProgressBar

    class Stream:
        text = ""

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    bar = ProgressBar(stream := Stream())
    bar._start = time.monotonic() + 3600
    bar("grow", "splitting", 0.5)
    assert stream.text == ""  # not before a second
    bar._start = time.monotonic() - 2
    bar("grow", "splitting", 0.5)
    assert "[##########..........]  50 % grow: splitting" in stream.text
    bar.close()
    assert softwood.train({"a": [1, 2, 3, 4], "y": ["u", "v"] * 2}, verbose=1).leaves >= 1


EXPLAINED = {
    "interventional": "tree.explain(X, X[:500])",
    "path-dependent": "tree.explain(np.tile(X, (200, 1)))",
    "changes": "tree.nearest_changes(X)",
    "partial": 'tree.partial_dependence(np.tile(X, (100, 1)), ["x0", "x1"], points=100)',
    "permutation": "tree.model_.permutation_importance(np.tile(X, (20, 1)), np.tile(y, 20), repeats=100)",
    "leaves": "[tree.leaf_weights(np.tile(X, (10, 1))) for _ in range(10000)]",
    "evaluate": "[tree.model_.evaluate(np.tile(X, (100, 1)), np.tile(y, 100)) for _ in range(10000)]",
    "report": "[tree.report(X, y) for _ in range(10000)]",
}


@pytest.mark.parametrize("work", EXPLAINED)
def test_explanations_are_interrupted_and_end(work):
    """The call ends, and so does what it leaves behind."""
    code = textwrap.dedent(f"""
        import os, signal, threading, numpy as np, softwood, softwood._core as core
        rng = np.random.default_rng(0)
        X = rng.normal(size=(5000, 10)); y = (X[:, 0] * X[:, 1] > 0).astype(int) ^ (rng.random(5000) < 0.2)
        tree = softwood.CartClassifier(ccp_alpha=0.0).fit(X, y)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            {EXPLAINED[work]}
        except KeyboardInterrupt:
            print("interrupted")
        core.wait_for_abandoned()
        print("ended")
    """)
    command = [sys.executable, "-W", "ignore", "-c", code]
    out = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert out.stdout.split() == ["interrupted", "ended"], out.stdout + out.stderr


def test_a_stream_is_interrupted():
    """Arrow streams are asked for one batch after the other."""
    code = textwrap.dedent("""
        import signal, pyarrow as pa, softwood, softwood._data
        batch = pa.record_batch([pa.array([1.0])], names=["a"])
        table = pa.Table.from_batches([batch] * 1000000)
        def ring(*_): raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, ring)
        reader = table.to_reader()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            columns, _ = softwood._data.to_columns(reader)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert "interrupted" in out.stdout, out.stdout + out.stderr


def _fits_in_a_fork(queue):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 3))
        tree = CartClassifier(n_jobs=2).fit(X, X[:, 0] > 0)
        queue.put((tree._threads(), tree.score(X, X[:, 0] > 0)))


def test_threads_of_a_forked_process():
    """Threads may be as many as asked for; joblib's word about processes is not about them."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    worker = context.Process(target=_fits_in_a_fork, args=(queue,), daemon=True)
    worker.start()
    assert queue.get(timeout=60) == (2, 1.0)
    worker.join()
