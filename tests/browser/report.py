"""The report in a real browser: every section, the tree by keyboard, one row followed, the form against
`softwood predict` to the bit, no message of the console, no request, nothing serious by axe-core.

report.py --program SOFTWOOD [--axe FILE] [--out DIR]
Skipped (77) where there is no Chromium. With --out the pages and pictures of them stay there.
"""

import argparse
import csv
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "export"))
from models import ORDINAL, method, mixed, numbers, recipe, write_rows  # noqa: E402
from webdriver import Browser, missing_programs  # noqa: E402

SKIPPED = 77
FILLED = 200  # rows that the form is filled with
EVIL = ["<img src=x onerror=window.hacked=1>", "</script><script>window.hacked=1</script>", "${window.hacked=1}",
        "\"'`><svg/onload=window.hacked=1>", "right \u202e to left", "line \u2028 end &amp; <b>", "-->{{1}}"]  # fmt: skip


def evil(rows=300):
    """Names, levels and classes that want to be markup or script."""
    draw = random.Random(5)
    yield [EVIL[0], EVIL[1], EVIL[4], EVIL[2]]
    for _ in range(rows):
        x, y, level = draw.gauss(0, 1), draw.gauss(0, 1), draw.choice(EVIL)
        yield [repr(x), repr(y), level, EVIL[3] if x + (level in EVIL[:3]) + draw.gauss(0, 0.3) > 0.5 else EVIL[5]]


def chances(rows, target="class", seed=6):
    """Every probability between yes and no; or a number that nobody can predict well."""
    draw = random.Random(seed)
    yield ["a", "b", "c", "y"]
    for _ in range(rows):
        a, b, c = (draw.gauss(0, 1) for _ in range(3))
        score = a + b * c + draw.gauss(0, 1)
        yield [f"{a:.5f}", f"{b:.5f}", f"{c:.5f}", f"{score:.5f}" if target == "number" else "yes" if score > 0.4 else "no"]


# Largest pages that a report promises: rows, and options of train.
LARGE = {
    "sequence": (lambda: chances(20000, "number"), method("cart")),  # thousands of trees that it can be pruned to
    "curves": (lambda: chances(20000), recipe("grow max-leaves=150 | soften by=interval")),  # a probability for each row
}
LARGEST = 3_000_000

# name: (rows, options of train, sections that only some models have)
MODELS = {
    "two": (lambda: mixed("two"), method("cart", *ORDINAL), {"pruning", "regions"}),
    "number": (lambda: mixed("number"), method("cart"), {"pruning", "regions"}),
    "soft": (lambda: numbers("class"), recipe("grow-soft shape=full depth=3"), {"gates", "regions"}),
    "costs": (lambda: chances(1500), recipe("grow-soft shape=full depth=2", "--costs", "COSTS"), {"gates", "regions"}),
    "evil": (evil, recipe("grow max-depth=6"), {"regions"}),
}
SECTIONS = {"summary", "tree", "ask", "rules", "importance", "evaluation", "errors", "data"}

# Sets the form as a person would, and reads the answer.
FILL = """
const rows = arguments[0];
return rows.map((row) => {
  row.forEach((text, i) => {
    const control = askForm.fields[i].element.querySelector("input[type=number], select");
    if (control.tagName === "SELECT") {
      const code = data.inputs[i].levels.indexOf(text);
      control.value = code < 0 ? "" : String(code);
    } else {
      control.value = text;
    }
    control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
  });
  return document.querySelector("#ask-form [data-answer]").dataset.answer;
});
"""


class Checks:
    def __init__(self, program, browser, folder):
        self.program, self.browser, self.folder = program, browser, folder
        self.faults = []

    def expect(self, holds, what):
        if not holds:
            self.faults.append(what)

    def run(self, *arguments):
        made = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if made.returncode != 0:
            raise SystemExit(f"softwood {arguments[0]} failed: {made.stderr}")
        return made.stdout

    def make(self, name):
        rows, options, _ = MODELS[name]
        data, model, page = (self.folder / f"{name}{end}" for end in (".csv", ".json", ".html"))
        write_rows(data, rows())
        costs = self.folder / "costs-of-errors.csv"
        costs.write_text("actual,no,yes\nno,0,1\nyes,4,0\n")
        options = [str(costs) if option == "COSTS" else option for option in options]
        self.run("train", data, "--quiet", "-o", model, *options)
        self.run("report", model, data, "--quiet", "-o", page)
        return data, model, page

    def check_model(self, name):
        data, model, page = self.make(name)
        self.expect(page.stat().st_size < 1_500_000, f"{name}: the page has {page.stat().st_size} bytes")
        text = page.read_text(encoding="utf-8")
        self.expect(not re.search(r"(?:src|href)=\"(?!#)", text), f"{name}: a link leads out of the page")
        self.browser.requests()
        self.browser.open(page)
        self.check_sections(name)
        self.check_form(name, data, model)
        self.check_tree(name, data, model)
        self.check_tools(name)
        if name == "costs":
            self.check_costs(name, data, model)
        self.expect(self.browser.run("return window.hacked") is None, f"{name}: a text was run as a script")
        self.expect(not (said := self.browser.messages()), f"{name}: the console says {said}")
        asked = [address for address in self.browser.requests() if not address.startswith(("chrome:", "data:"))]
        self.expect(set(asked) == {page.resolve().as_uri()}, f"{name}: requests to {asked}")

    def check_sections(self, name):
        found = self.browser.run("return [...document.querySelectorAll('main section')].map((s) => s.id)")
        wanted = SECTIONS | MODELS[name][2]
        self.expect(set(found) == wanted, f"{name}: sections {sorted(set(found) ^ wanted)}")
        for section in found:
            height = self.browser.run(
                "const s = document.getElementById(arguments[0]); s.scrollIntoView(); return s.clientHeight", section)
            self.expect(height > 100, f"{name}: section {section} is empty")

    def check_form(self, name, data, model):
        with data.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))[:FILLED]
        if name == "evil":  # names and levels are shown otherwise than they are written
            cells = self.browser.run("return data.rows.map((row) => row.cells)")
            texts = self.browser.run("return data.rows.map((row) => row.cells.map((cell, i) => "
                                     "data.inputs[i].levels && cell !== null ? data.inputs[i].levels[cell] : String(cell ?? '')))")
            places = [number - 1 for number in self.browser.run("return data.rows.map((row) => row.number)")]
            self.expect(len(cells) == FILLED, f"{name}: the page holds {len(cells)} rows")
        else:
            inputs = self.browser.run("return data.inputs.map((input) => input.name)")
            texts = [[row[column] for column in inputs] for row in rows]
            texts = [["" if text in ("?", "NA") else text for text in row] for row in texts]
            places = range(len(rows))
            if name == "two":  # a level that the model does not know is a missing value
                texts[0][inputs.index("colour")] = "no such colour"
                rows[0]["colour"] = "no such colour"
                data = self.folder / "asked.csv"
                write_rows(data, [list(rows[0]), *[list(row.values()) for row in rows]])
        answers = self.browser.run(FILL, texts)
        predicted = list(csv.reader(self.run("predict", model, data, "--quiet", *self.proba(name)).split("\n")))
        first = 1 if self.proba(name) else 0
        wrong = 0
        for answer, place in zip(answers, places):
            wanted = [float(cell) for cell in predicted[place + 1][first:]]
            wrong += [float(cell) for cell in answer.split(" ")] != wanted
        self.expect(len(answers) == FILLED and wrong == 0, f"{name}: {wrong} of {len(answers)} answers differ")

    @staticmethod
    def proba(name):
        return [] if name == "number" else ["--proba"]

    def check_tree(self, name, data, model):
        browser = self.browser
        count = "return treeView.order.length"
        nodes = browser.run("return data.nodes.length")
        browser.run("openAll(true); select(0, true)")
        self.expect(browser.run(count) == nodes, f"{name}: not all nodes are shown when unfolded")
        self.check_drawn(name)
        browser.press("\ue012")  # left: fold
        self.expect(browser.run(count) == 1, f"{name}: the root is not folded by the left arrow")
        browser.press("\ue014")  # right: unfold, then to the first child
        self.expect(browser.run(count) == nodes, f"{name}: the root is not unfolded by the right arrow")
        browser.press("\ue014")
        focus = browser.run("return document.activeElement.dataset.node")
        self.expect(focus == "1", f"{name}: the right arrow leads to node {focus}")
        browser.press("\ue013")
        self.expect(browser.run("return document.activeElement.dataset.node") == "0", f"{name}: up does not lead back")
        leaves = list(csv.DictReader(self.run("predict", model, data, "--quiet", "--leaf").split("\n")))
        for place in (0, 7):
            ends = browser.run(
                "const list = treeView.followList; list.value = String(arguments[0]);"
                "list.dispatchEvent(new Event('change')); return [treeView.current, data.rows[arguments[0]].number,"
                "document.querySelectorAll('#tree-view .node.followed').length]", place)
            self.expect(ends[2] > 1, f"{name}: no path is drawn for row {ends[1]}")
            leaf = leaves[ends[1] - 1]["leaf"]
            self.expect(str(ends[0]) == leaf, f"{name}: row {ends[1]} is followed to node {ends[0]}, not {leaf}")

    def check_drawn(self, name):
        """Only cards near the frame are there; scrolled to, the others are."""
        browser = self.browser
        drawn = browser.run("return treeView.cards.size")
        hidden = browser.run("return treeView.height * treeView.zoom > 3 * treeView.frame.clientHeight")
        self.expect(not hidden or drawn < browser.run("return treeView.order.length"), f"{name}: all cards are drawn")
        last = browser.run_later(
            "const done = arguments[0]; treeView.frame.scrollTop = 1e9; requestAnimationFrame(() => requestAnimationFrame(() => {"
            "const last = [...treeView.places].reduce((a, b) => (b[1].y > a[1].y ? b : a))[0];"
            "treeView.frame.scrollLeft = treeView.places.get(last).x * treeView.zoom;"
            "requestAnimationFrame(() => requestAnimationFrame(() => done(treeView.cards.has(last)))) }))")
        self.expect(last, f"{name}: the last card is not drawn where the frame is scrolled to it")
        ordered = browser.run(
            "const drawn = [...document.querySelectorAll('#tree-view [role=treeitem]')].map((e) => Number(e.dataset.node));"
            "return JSON.stringify(drawn) === JSON.stringify(treeView.order.filter((node) => treeView.cards.has(node)))")
        self.expect(ordered, f"{name}: cards are not in the order of the tree")
        browser.press("\ue010")  # end
        focus = browser.run("return [Number(document.activeElement.dataset.node), treeView.order.at(-1)]")
        self.expect(focus[0] == focus[1], f"{name}: End leads to node {focus[0]}, not {focus[1]}")
        browser.press("\ue011")  # home

    def check_costs(self, name, data, model):
        """The least cost of the page, whatever errors cost, is that of all thresholds."""
        with data.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        scores = list(csv.DictReader(self.run("predict", model, data, "--quiet", "--proba").split("\n")))
        yes = self.browser.run("return data.classes[data.positive]")
        kept = self.browser.run("return data.thresholds.points.length")
        self.expect(kept < 800, f"{name}: the page holds {kept} thresholds")
        self.browser.open(self.folder / f"{name}.html")
        begin = self.browser.run("return document.querySelector('#threshold-tools output').textContent")
        self.expect(begin == "0.2, as the model decides", f"{name}: the threshold begins at {begin}")
        points = [(float(score[f"proba_{yes}"]), row[list(row)[-1]] == yes) for score, row in zip(scores, rows)]
        for missed, alarm in ((1, 1), (30, 1), (5, 1), (1, 37), (7, 3)):
            wanted = min(sum(missed if is_yes and p < at else alarm if not is_yes and p >= at else 0 for p, is_yes in points)
                         for at in [2, *{p for p, _ in points}])
            found = self.browser.run("const costs = { missed: arguments[0], alarm: arguments[1] }; return costOf(leastCost(costs), costs)",
                                     missed, alarm)
            self.expect(found == wanted, f"{name}: least cost {found}, not {wanted}, of {missed}:{alarm}")

    def check_tools(self, name):
        browser = self.browser
        painted = browser.run_later(
            "const done = arguments[0]; const canvas = document.querySelector('#regions canvas'); canvas.scrollIntoView();"
            "const look = (left) => (canvas.dataset.painted === 'true' || left === 0 ? done(canvas.dataset.painted)"
            " : setTimeout(look, 50, left - 1)); look(200)")
        self.expect(painted == "true", f"{name}: the regions are not painted")
        small = browser.run(
            "const field = numberField({ name: 'small', low: 0, high: 1e-15 }); const slider = field.element.querySelector('[type=range]');"
            "slider.value = '9e-16'; slider.dispatchEvent(new Event('input')); return field.cell()")
        self.expect(abs(small - 9e-16) < 1e-17, f"{name}: a slider at 9e-16 sets {small}")
        searched = browser.run(
            "const box = document.querySelector('#tree-tools input[type=search]'); box.value = data.inputs[0].name;"
            "box.dispatchEvent(new Event('input')); return treeView.found.size")
        self.expect(searched > 0, f"{name}: the search finds no split")
        order = browser.run(
            "const sort = [...document.querySelectorAll('#rules-table .sort')].at(-1); sort.click();"
            "return [...document.querySelectorAll('#rules-table tbody tr')].map((r) => Number(r.cells[r.cells.length - 1].dataset.value))")
        self.expect(order == sorted(order) and len(order) > 1, f"{name}: rules are not sorted")
        if name == "number":
            return
        shown = browser.run(
            "const list = document.querySelector('#rules-tools select'); list.value = '1'; list.dispatchEvent(new Event('change'));"
            "return [...document.querySelectorAll('#rules-table tbody tr:not([hidden])')].map((r) => r.dataset.class)")
        # No leaf of a soft tree by itself need be of this class.
        every = browser.run("return [...document.querySelectorAll('#rules-table tbody tr')].map((r) => r.dataset.class)")
        self.expect(len(shown) == every.count("1") and set(shown) <= {"1"}, f"{name}: the filter shows classes {set(shown)}")
        self.expect(bool(shown) or name == "soft", f"{name}: no rule is of class 1")
        if browser.run("return data.thresholds !== null"):
            before, after = (browser.run(
                "const s = document.querySelector('#threshold-tools input[type=range]'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('input')); return document.getElementById('threshold-result').textContent", at)
                for at in (0.05, 0.95))
            self.expect(before != after, f"{name}: the threshold changes nothing")

    def check_sizes(self):
        for name, (rows, options) in LARGE.items():
            data, model = self.folder / f"{name}.csv", self.folder / f"{name}.json"
            write_rows(data, rows())
            self.run("train", data, "--quiet", "-o", model, *options)
            for held in ("200", "none"):
                page = self.run("report", model, data, "--quiet", "--rows", held)
                size = len(page.encode())
                self.expect(size < LARGEST, f"{name}: {size} bytes with --rows {held}")
                gates = page.count('aria-label="Curve of the gate of node')
                self.expect(gates == (149 if name == "curves" else 0), f"{name}: {gates} soft splits are drawn")

    def check_axe(self, axe, page, name):
        self.browser.open(page)
        self.browser.run(axe.read_text(encoding="utf-8") + "; window.axe = axe;")
        found = self.browser.run_later("axe.run(document).then((r) => arguments[0](r.violations.map((v) => "
                                       "[v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))])))")
        serious = [one for one in found if one[0] in ("serious", "critical")]
        self.expect(not serious, f"{name}: axe finds {serious}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--axe", type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if missing_programs():
        print("not installed:", *missing_programs())
        return SKIPPED
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        with Browser() as browser:
            checks = Checks(given.program, browser, out)
            checks.check_sizes()
            for name in MODELS:
                checks.check_model(name)
            compared = out / "compared.html"
            checks.run("report", out / "two.json", out / "two.csv", "--against", out / "two.json", "--quiet", "-o", compared)
            browser.open(compared)
            checks.expect(not (said := browser.messages()), f"comparison: the console says {said}")
            faults += checks.faults
        if given.axe and given.axe.exists():
            for width, dark in ((1280, False), (380, True)):
                with Browser(width, 800, dark) as browser:
                    checks = Checks(given.program, browser, out)
                    for name in ("two", "compared"):
                        checks.check_axe(given.axe, out / f"{name}.html", f"{name} at {width}")
                        wide = browser.run("return document.documentElement.scrollWidth")
                        checks.expect(wide <= width, f"{name}: {wide} pixels wide where there are {width}")
                    faults += checks.faults
        else:
            print("axe-core is not installed (scripts/node-env): accessibility was not checked")
    print("\n".join(faults) if faults else f"{len(MODELS)} reports are right")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
