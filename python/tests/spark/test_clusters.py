"""Executors that are processes of their own, and are lost in the middle of a pass."""

import os

import softwood
import softwood.spark as sws
from softwood.spark import _rows, _train

from rows import columns, frame, table
from sessions import session

PRUNE = "grow search=binned max-depth=6 min-leaf=2 | prune folds=4"
SMALL = 200  # of 3000 rows: several growing passes, then one that finishes


def executors():
    """Process ids of the executors of local-cluster, by /proc."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if any("CoarseGrainedExecutorBackend" in word for word in words) and os.getpid() in ancestors(int(name)):
            found.append(int(name))
    return found


def ancestors(pid):
    result = []
    while pid > 1:
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rsplit(")", 1)[1].split()[1])
        result.append(pid)
    return result


def killing_once(path):
    """Work on the rows of a part: the first task on part 1 kills the executor that it runs on. It is sent there by value."""

    def work(part, blocks):
        import os
        import signal

        if part == 1 and not os.path.exists(path):
            pid, words = os.getpid(), ""
            while "CoarseGrainedExecutorBackend" not in words:
                with open(f"/proc/{pid}/stat") as file:
                    pid = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{pid}/cmdline") as file:
                    words = file.read()
            with open(path, "w") as file:
                file.write(str(pid))
            os.kill(pid, signal.SIGKILL)
        yield from blocks

    return work


def test_one_machine_and_several_processes():
    rows = table(3000, seed=6)
    expected = softwood.train(columns(rows), "target", recipe=PRUNE).to_text()
    for master in ("local[1]", "local-cluster[2,1,1024]"):
        assert sws.train(frame(session(master), rows, 6), "target", recipe=PRUNE).to_text() == expected


def test_executors_that_are_lost_while_they_count_and_finish(monkeypatch, tmp_path):
    """Blocks that were kept, histograms and what was shuffled are lost with them, in the middle of a job."""
    rows = table(3000, seed=6)
    cluster = session("local-cluster[2,1,1024]")
    killed = {}

    class Killing(_rows.ClusterRows):
        def run(self, kind, request):
            if (kind, self.passes.get(kind, 0)) not in (("grow", 1), ("finish", 0)):
                return super().run(kind, request)
            path = tmp_path / kind
            before, kept, grouped = executors(), self._rows, self._grouped
            self._rows, self._grouped = (rows.mapPartitionsWithIndex(killing_once(str(path))) for rows in (kept, grouped))
            try:
                return super().run(kind, request)
            finally:
                self._rows, self._grouped = kept, grouped
                killed[kind] = int(path.read_text())
                assert killed[kind] in before and killed[kind] not in executors()

    monkeypatch.setattr(_train, "ClusterRows", Killing)
    model = sws.train(frame(cluster, rows, 6), "target", recipe=PRUNE, small_rows=SMALL)
    assert list(killed) == ["grow", "finish"] and killed["grow"] != killed["finish"]
    assert model.to_text() == softwood.train(columns(rows), "target", recipe=PRUNE).to_text()
    cluster.stop()
