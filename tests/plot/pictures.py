"""Every view of models that are hard to draw, in a real browser: no two texts overlap, and none leaves
its card or the picture.

pictures.py --program SOFTWOOD [--out DIR] [--only NAME]
Skipped (77) where there is no Chromium. With --out the pictures stay there, and the page of all of them.
"""

import argparse
import html
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "export"))
from models import ORDINAL, hostile, many_classes, many_levels, method, mixed, numbers, recipe, write_rows  # noqa: E402

SKIPPED = 77
SVG = "{http://www.w3.org/2000/svg}"
BROWSER = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--force-device-scale-factor=1", "--dump-dom"]


def long_names(rows=400):
    draw = random.Random(8)

    def name(i):
        return f"{i} what an input is called by somebody who wants to say all there is to know of it ".ljust(100, "W")

    yield [name(i) for i in range(6)] + ["the class that is to be found ".ljust(100, "x")]
    for _ in range(rows):
        x = [draw.gauss(0, 1) for _ in range(5)]
        level = draw.choice("abcdef")
        score = x[0] + x[1] * (level in "ab") + draw.gauss(0, 0.3)
        yield [*map(repr, x), f"level {level} ".ljust(100, "W"), name(sum(score > cut for cut in (-0.5, 0.8)))]


def noise(rows=1500):
    """Nothing to be learned: a tree that knows it by heart has hundreds of nodes."""
    draw = random.Random(9)
    yield ["x", "y", "z", "class"]
    for _ in range(rows):
        yield [repr(draw.random()), repr(draw.random()), repr(draw.random()), draw.choice(["yes", "no"])]


def iris():
    for line in (Path(__file__).parent.parent / "differential/data/iris.csv").read_text().splitlines():
        yield line.split(",")


# name: (rows, options of train, options of plot)
MODELS = {
    "iris": (iris, []),
    "long-names": (long_names, method("cart")),
    "classes-40": (many_classes, recipe("grow")),
    "large": (noise, recipe("grow")),
    "two": (lambda: mixed("two"), method("cart", *ORDINAL)),
    "regression": (lambda: mixed("number"), method("cart")),
    "annealed": (lambda: numbers("class"), recipe("grow max-depth=3 | soften by=anneal")),
    "soft": (lambda: numbers("class"), recipe("grow-soft shape=full depth=3")),
    "soft-number": (lambda: numbers("number"), recipe("grow-soft shape=full depth=3")),
    "oblique": (lambda: numbers("class"), method("oblique")),
    "quadratic": (lambda: numbers("class", inputs=6), method("quadratic")),
    "evolve": (lambda: mixed("two"), recipe("evolve generations=60 patience=30")),
    "multiway-50": (lambda: many_levels("class", levels=50), recipe("grow nominal=multiway")),
    "hostile": (hostile, recipe("grow max-depth=7", "--target", 'class "x" --')),
    "auto": (lambda: numbers("class"), recipe("auto hard=yes max-leaves=8")),
    "leaf-alone": (lambda: numbers("class"), recipe("grow max-depth=0")),
}
# view: options of plot
PICTURES = {
    "tree": [], "tree-right": ["--direction", "right"], "tree-row": ["--row", "5", "--depth", "3"],
    "pruning": [], "importance": [], "regions": ["--depths", "1,2,full"], "roc": [], "calibration": [],
    "threshold": [], "impurity": [], "overfitting": [], "frontier": [],
}  # fmt: skip
# What a view can't draw: words of the error.
REFUSALS = ["is for classification", "two different numeric inputs", "no cost-complexity table",
            "not chosen from a frontier", "two classes"]


def draw_model(program, folder, name):
    """Pictures by name, and what was refused."""
    rows, options = MODELS[name]
    data, model = folder / f"{name}.csv", folder / f"{name}.json"
    write_rows(data, rows())
    subprocess.run([program, "train", data, *options, "-o", model, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    pictures, refused = {}, []
    # Soft trees and evolution train for long.
    slow = name.startswith(("soft", "evolve", "auto"))
    for picture, flags in PICTURES.items():
        if slow and picture == "overfitting":
            continue
        command = [program, "plot", model, data, "--view", picture.split("-")[0], *flags, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            pictures[f"{name}.{picture}"] = done.stdout
        elif done.returncode == 2 and any(words in done.stderr for words in REFUSALS):
            refused.append(f"{name}.{picture}")
        else:
            raise SystemExit(f"{name}, {picture}: {done.stderr}")
    plain = subprocess.run([program, "plot", model], capture_output=True, text=True, check=True)
    pictures[f"{name}.tree-without-rows"] = plain.stdout
    return pictures, refused


def check_markup(name, svg):
    """Well-formed, nothing but known elements, and no style of a user's text."""
    known = {"svg", "desc", "style", "title", "g", "rect", "circle", "line", "polyline", "polygon", "path", "text"}
    found = {element.tag.removeprefix(SVG) for element in xml.fromstring(svg).iter()}
    if found - known:
        raise SystemExit(f"{name}: elements {sorted(found - known)}")
    if "var(" in svg or "http" in svg.replace("http://www.w3.org/2000/svg", ""):
        raise SystemExit(f"{name}: something that only a browser, or a network, knows")


def look(browser, folder, pictures):
    """What the browser finds, by picture."""
    figures = "".join(f'<figure id="{html.escape(name)}">{svg}</figure>' for name, svg in pictures.items())
    script = (Path(__file__).parent / "boxes.js").read_text()
    page = folder / "pictures.html"
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><style>figure{{margin:8px}}svg{{display:block}}</style>{figures}'
        f'<pre id="found"></pre><script>{script}</script>'
    )
    command = [browser, *BROWSER, f"--user-data-dir={folder / 'profile'}", page.resolve().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    return json.loads(html.unescape(answer.group(1))) if answer else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: scripts/setup --test installs it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.out or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        pictures, refused = {}, []
        names = [name for name in MODELS if arguments.only in name]
        with ThreadPoolExecutor(2) as pool:
            for drawn, not_drawn in pool.map(lambda name: draw_model(arguments.program, folder, name), names):
                pictures |= drawn
                refused += not_drawn
        for name, svg in pictures.items():
            check_markup(name, svg)
            if arguments.out:
                (folder / f"{name}.svg").write_text(svg)
        found = look(browser, folder, pictures)
    missing = pictures.keys() - found.keys()
    faults = {name: one["found"] for name, one in found.items() if one["found"]}
    empty = [name for name, one in found.items() if one["texts"] < 3]
    for name, lines in faults.items():
        print(f"{name}: {len(lines)} faults")
        for line in lines[:5]:
            print(f"  {line[:200]}")
    print(f"{len(found)} pictures, {sum(one['texts'] for one in found.values())} texts, {len(refused)} refused")
    if missing or empty:
        print(f"not looked at: {sorted(missing)}; without texts: {empty}")
    return 1 if faults or missing or empty else 0


if __name__ == "__main__":
    sys.exit(main())
