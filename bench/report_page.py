"""How soon a report of 2000 nodes is there in Chromium, and how soon it folds: aims are 1 s and 100 ms.

report_page.py [--program SOFTWOOD] [--nodes 2000] [--rounds 5]
Each time is the median of the rounds, the largest in brackets; an action ends when its frame was drawn.
Times go with the machine: nothing else should run.
"""

import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/browser"))
from webdriver import Browser, missing_programs  # noqa: E402

# What a person does, with the tree unfolded: `before` is not measured.
ACTIONS = {
    "fold one node": ("openAll(true); select(1, true)", "toggle(1)"),
    "unfold it again": ("openAll(true); select(1, true); toggle(1)", "toggle(1)"),
    "unfold all": ("openAll(false)", "openAll(true)"),
    "fold all": ("openAll(true)", "openAll(false)"),
    "a key in the search": (
        "openAll(true)",
        "const box = document.querySelector('#tree-tools input[type=search]'); box.value = data.inputs[0].name;"
        "box.dispatchEvent(new Event('input'))",
    ),
    "follow a row": (
        "openAll(true)",
        "const list = treeView.followList; list.value = '3'; list.dispatchEvent(new Event('change'))",
    ),
    "scroll by a page": ("openAll(true); treeView.frame.scrollTop = 0", "treeView.frame.scrollTop = 5000"),
    "zoom out, all unfolded": ("openAll(true); zoomTo(1)", "zoomTo(0.1)"),
}  # fmt: skip
# Begins when the frame of what came before is drawn, and ends when its own is.
MEASURE = """
const done = arguments[0];
BEFORE;
requestAnimationFrame(() => setTimeout(() => {
  const begin = performance.now();
  ACTION;
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
}));
"""
PAINTED = """
const done = arguments[0];
const look = () => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const load = performance.getEntriesByType("navigation")[0];
  if (paint && load.domContentLoadedEventEnd > 0) done([paint.startTime, load.domContentLoadedEventEnd]);
  else setTimeout(look, 20);
};
look();
"""


def make_page(program, folder, nodes):
    def run(*arguments):
        subprocess.run([program, *map(str, arguments), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    # Noise: the tree has as many leaves as it is asked for.
    draw = random.Random(1)
    with open(folder / "rows.csv", "w") as file:
        file.write(",".join(f"input{i}" for i in range(8)) + ",class\n")
        for _ in range(20000):
            file.write(",".join(f"{draw.random():.6f}" for _ in range(8)) + f",{draw.choice(['no', 'yes'])}\n")
    run("train", "rows.csv", "--recipe", f"grow max-leaves={nodes // 2}", "-o", "model.json")
    run("report", "model.json", "rows.csv", "-o", "page.html")
    return folder / "page.html"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/softwood"))
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if missing_programs():
        return f"not installed: {' '.join(missing_programs())}"
    times = {}
    with tempfile.TemporaryDirectory() as temporary:
        page = make_page(str(pathlib.Path(given.program).resolve()), pathlib.Path(temporary), given.nodes)
        with Browser() as browser:
            for _ in range(given.rounds):
                browser.open(page)
                first, loaded = browser.run_later(PAINTED)
                times.setdefault("first paint", []).append(first)
                times.setdefault("script ready", []).append(loaded)
                for name, (before, action) in ACTIONS.items():
                    script = MEASURE.replace("BEFORE", before).replace("ACTION", action)
                    times.setdefault(name, []).append(browser.run_later(script))
            nodes = browser.run("return data.nodes.length")
        print(f"{nodes} nodes, {page.stat().st_size / 1e6:.2f} MB")
    for name, found in times.items():
        print(f"{name:24}{statistics.median(found):7.0f} ms  ({max(found):.0f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
