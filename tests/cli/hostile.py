#!/usr/bin/env python3
"""Names, levels, classes and values that want to be something else, through every verb: results are whole, terminals
get no control characters, and pages and pictures no markup of theirs.

Usage: hostile.py --program PROGRAM [unittest's arguments]
"""
import argparse
import csv
import html.parser
import io
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

given = None

TEXTS = {
    "quotes": "it's \"so\"",
    "backslashes": "a\\b\\",
    "comment ends": "*/ --> ]]> */",
    "tags": "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "template": "${alert(1)} {{7*7}} `x` #{x}",
    "sql": "'; drop table data; --",
    "format": "%s%n%d {0} {} %",
    "terminal": "\x1b[31mred\x1b]0;title\x07\x1b[2J",
    "controls": "a\x01\x08\x0b\x0c\x0e\x7f\x9bb",
    "lines": "one\ntwo\r\nthree\tfour",
    "directions": "a\u202eb\u2066c\u200fd\u061ce",
    "spaces": "a\u00a0b\u2003c\u3000d",
    "nothing visible": "\u200b\ufeff\u2060",
    "long": "k" * 100000,
}
# What a terminal obeys, and what shows text in another order than it has.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.handlers = {}, []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def page_of(text):
    page = Page()
    page.feed(text)
    return page


class Hostile(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="softwood-hostile-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_program(self, *words, code=0, **rest):
        done = subprocess.run([given.program, *words], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL,
                              check=False, env=dict(os.environ, COLUMNS="120"), **rest)
        self.assertEqual(done.returncode, code, done.stderr[-1000:])
        error = done.stderr.decode()
        self.assertIsNone(OBEYED.search(error), repr(error[:500]))
        self.assertLess(len(error), 20000)
        return done.stdout.decode()

    def train(self, text):
        """A model in which everything that has a name is called so."""
        names = [f"{text} name", f"{text} level", f"{text} class", f"{text} value"]
        with open(self.folder / "rows.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow([names[0], "x", names[3], "y"])
            for i in range(60):
                writer.writerow([names[1] if i % 3 else "plain", i % 10, names[3] if i % 2 else "other",
                                 names[2] if i % 3 and i % 10 < 6 else "plain"])
        self.run_program("train", "rows.csv", "--quiet", "--recipe", "grow", "-o", "model.json")
        return names

    def for_each(self, body):
        for what, text in TEXTS.items():
            with self.subTest(what):
                body(text, self.train(text))

    def test_words_for_people(self):
        def body(_text, _names):
            for words in (["show", "model.json"], *(["show", "model.json", "--" + view] for view in
                                                    ("rules", "summary", "competitors")),
                          ["show", "model.json", "--style", "rpart"], ["show", "model.json", "--style", "c50"],
                          ["evaluate", "model.json", "rows.csv"], ["explain", "model.json", "rows.csv", "--row", "2"],
                          ["explain", "model.json", "rows.csv", "--row", "2", "--change"],
                          ["data", "describe", "rows.csv"], ["cv", "rows.csv", "--folds", "2", "--recipe", "grow"],
                          ["train", "rows.csv", "--recipe", "grow"]):
                shown = self.run_program(*words)
                self.assertIsNone(OBEYED.search(shown), (words, repr(shown[:300])))
        self.for_each(body)

    def test_terminals(self):
        def body(_text, _names):
            for words in (["predict", "model.json", "rows.csv", "--proba", "--path", "--quiet"],
                          ["show", "model.json", "--rules"]):
                parent, child = pty.openpty()
                running = subprocess.Popen([given.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                           stdout=child, stderr=subprocess.DEVNULL)
                os.close(child)
                shown = b""
                while True:
                    try:
                        part = os.read(parent, 1 << 16)
                    except OSError:  # the other end is closed
                        break
                    if not part:
                        break
                    shown += part
                os.close(parent)
                self.assertEqual(running.wait(), 0)
                text = shown.decode().replace("\r\n", "\n")  # by the terminal
                self.assertIsNone(OBEYED.search(text), repr(text[:300]))
        self.for_each(body)

    def test_data_for_programs(self):
        def body(_text, names):
            rows = list(csv.reader(io.StringIO(self.run_program("predict", "model.json", "rows.csv", "--proba",
                                                                "--quiet"), newline="")))
            self.assertEqual(len(rows), 61)
            self.assertEqual({len(row) for row in rows}, {3})
            self.assertEqual({row[0] for row in rows[1:]}, {"plain", names[2].strip()})
            for words in (["show", "model.json"], ["evaluate", "model.json", "rows.csv"],
                          ["explain", "model.json", "rows.csv", "--row", "1"], ["data", "describe", "rows.csv"]):
                shown = self.run_program(*words, "--json")
                self.assertIsNone(OBEYED.search(shown), words)
                json.loads(shown)
            names_shown = [column["name"] for column in json.loads(shown)["columns"]]
            self.assertIn(names[0].strip(), names_shown)
        self.for_each(body)

    def test_pages_and_pictures(self):
        self.train("plain")
        self.run_program("report", "model.json", "rows.csv", "--quiet", "-o", "plain.html")
        usual = page_of((self.folder / "plain.html").read_text(encoding="utf-8"))

        def body(text, _names):
            self.run_program("report", "model.json", "rows.csv", "--quiet", "-o", "page.html")
            page = page_of((self.folder / "page.html").read_text(encoding="utf-8"))
            self.assertEqual(page.handlers, usual.handlers)
            for tag in ("script", "img", "iframe", "style", "link", "object", "form"):
                self.assertEqual(page.tags.get(tag, 0), usual.tags.get(tag, 0), tag)
            for view in ("tree", "importance", "roc", "calibration", "threshold"):
                self.run_program("plot", "model.json", "rows.csv", "--view", view, "-o", "picture.svg")
                picture = (self.folder / "picture.svg").read_text(encoding="utf-8")
                root = xml.etree.ElementTree.fromstring(picture)
                self.assertFalse([at.tag for at in root.iter() if at.tag.endswith(("script", "img"))])
        self.for_each(body)

    def test_exports(self):
        """Of every format it is text that a parser takes; tests/export compiles and runs what people may have."""
        def body(text, _names):
            for form in ("c", "cpp", "java", "javascript", "python", "sql", "onnx", "pmml", "dot"):
                if form == "pmml" and re.search("[\x00-\x08\x0b-\x1f]", text.replace("\r", "")):
                    self.run_program("export", "model.json", "--to", form, "-o", "out", code=1)
                    continue  # XML has no place for such characters
                self.run_program("export", "model.json", "--to", form, "-o", "out")
                written = (self.folder / "out").read_bytes()
                if form == "onnx":
                    continue
                source = written.decode()
                if form == "python":
                    compile(source, "out.py", "exec")
                elif form == "pmml":
                    xml.etree.ElementTree.fromstring(source)
                elif form != "sql":  # what no reader of the source may be misled by
                    self.assertIsNone(re.search("[\u202a-\u202e\u2066-\u2069\x1b]", source), form)
        self.for_each(body)

    def test_exports_run(self):
        """All of it in one model, run by what the formats are for."""
        texts = {what: text for what, text in TEXTS.items() if what != "long"}  # longer than Java's texts may be
        with open(self.folder / "rows.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow([*(f"{text} name" for text in texts.values()), "y"])
            for i in range(40 * len(texts)):
                own = list(texts.values())[i % len(texts)]
                writer.writerow([*(f"{text} level" if text == own else "plain" for text in texts.values()),
                                 f"{own} class"])
        self.run_program("train", "rows.csv", "--quiet", "--target", "y", "--recipe", "grow", "-o", "model.json")
        for form, needed in (("c", "cc"), ("java", "javac"), ("javascript", "node"), ("sql", "python3")):
            if shutil.which(needed):
                with self.subTest(form):
                    self.run_program("export", "model.json", "--to", form, "--check", "rows.csv", "-o", "Out." + form)

    def test_errors(self):
        def body(text, names):
            name = names[0]
            self.run_program("train", "rows.csv", "--target", text + " nobody", code=3)
            self.run_program("train", "rows.csv", "--numeric", '"' + name.replace('"', '""') + '"', code=3)
            self.run_program("evaluate", "model.json", "rows.csv", "--threshold", text + ":0.5", code=2)
            self.run_program("train", "rows.csv", "--recipe", "grow " + text, code=2)
            self.run_program(text, code=2)
            (self.folder / "other.csv").write_text("a,b\n1,2\n")
            self.run_program("predict", "model.json", "other.csv", code=3)
            model = json.loads((self.folder / "model.json").read_text())
            model[text] = 1
            (self.folder / "wrong.json").write_text(json.dumps(model))
            self.run_program("show", "wrong.json", code=3)
            if "/" not in text and len(text) < 200:
                self.run_program("show", text + " file", code=3)
                self.run_program("train", "rows.csv", "--quiet", "-o", "nowhere/" + text, code=1)
        self.for_each(body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--program", required=True)
    given, rest = parser.parse_known_args()
    given.program = os.path.abspath(given.program)
    unittest.main(argv=[sys.argv[0], *rest])
