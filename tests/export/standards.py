"""Checks files of many models by the standard of their format, beyond what run.py does.

standards.py --program SOFTWOOD --models DIR --to onnx|pmml [--only NAME …] [--most N]
onnx: the checker of the package onnx, with the inference of shapes, and the answers of onnxruntime.
pmml: the schema that comes with JPMML, and the answers of JPMML's evaluator, which is a second one
beside that of --check. All models in one process, which is quick for many small ones.
Exit code 77 (skipped) when a package is not there.
"""

import argparse
import csv
import importlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from models import THRESHOLDS

SKIPPED = 77
PACKAGES = {"onnx": ["onnx", "onnxruntime"], "pmml": ["jpmml_evaluator", "lxml", "py4j"]}
TOLERANCE = 1e-12


def export(given, model, file):
    words = [given.program, "export", str(model), "--to", given.to, "--self-test", "-o", str(file)]
    if model.stem in THRESHOLDS:
        words += ["--threshold", THRESHOLDS[model.stem]]
    return subprocess.run(words, capture_output=True, text=True)


class Onnx:
    def fault(self, file):
        import onnx

        try:
            onnx.checker.check_model(onnx.load(file), full_check=True)
        except onnx.checker.ValidationError as error:
            return str(error)
        return None

    def answers(self, file, rows):
        import numpy
        import onnxruntime

        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        feeds = {}
        for tensor in session.get_inputs():
            cells = [row[tensor.name] for row in rows]
            if tensor.type == "tensor(string)":
                column = numpy.array(cells, dtype=object)
            else:
                column = numpy.array([number(cell) for cell in cells])
            feeds[tensor.name] = column.reshape(-1, 1)
        *label, numbers = session.run(None, feeds)
        labels = [[text] for text in label[0]] if label else [[] for _ in rows]
        return [label + list(row) for label, row in zip(labels, numbers, strict=True)]


class Pmml:
    def __init__(self):
        import jpmml_evaluator
        from jpmml_evaluator.py4j import Py4JBackend
        from lxml import etree
        from py4j.java_gateway import JavaGateway

        jars = Path(jpmml_evaluator.__file__).parent.rglob("pmml-model-[0-9]*.jar")
        with zipfile.ZipFile(next(jars)) as jar:
            self.schema = etree.XMLSchema(etree.fromstring(jar.read("pmml.xsd")))
        # Java ends with this process, however that ends.
        classes = os.pathsep.join(jpmml_evaluator._classpath(user_classpath=[]))
        self.backend = Py4JBackend(JavaGateway.launch_gateway(classpath=classes, die_on_exit=True))

    def fault(self, file):
        from lxml import etree

        valid = self.schema.validate(etree.parse(file, etree.XMLParser(huge_tree=True)))
        return None if valid else str(self.schema.error_log.last_error)

    def answers(self, file, rows):
        import pandas
        from jpmml_evaluator import make_evaluator

        evaluator = make_evaluator(file, backend=self.backend).verify()
        kinds = {field.getName(): field.getDataType() for field in evaluator.getInputFields()}
        outputs = [field.getName() for field in evaluator.getOutputFields()]

        columns = {name: [number(row[name]) if kind == "double" else row[name] or None for row in rows]
                   for name, kind in kinds.items()}
        return evaluator.evaluateAll(pandas.DataFrame(columns))[outputs].values.tolist()


def number(text):
    """NaN for the texts of missing cells."""
    return float("nan") if text in ("", "?", "NA") else float(text)


def faults_of(standard, file):
    fault = standard.fault(file)
    if fault:
        return [fault]
    rows, expected = list(read_csv(f"{file}.rows.csv")), list(read_csv(f"{file}.expected.csv"))
    names = list(expected[0])
    classes = len(names) > 1  # then the first column is the class
    numbers = [[float(row[name]) for name in names[classes:]] for row in expected]
    values = [row[0] for row in numbers]
    unit = 1 if classes else (max(values) - min(values)) or 1
    found = []
    for at, answer in enumerate(standard.answers(file, rows)):
        right = numbers[at]
        far = max(abs(one - other) for one, other in zip(answer[classes:], right, strict=True)) / unit
        same = not classes or answer[0] == expected[at][names[0]] or near_tie(right)
        if not far <= TOLERANCE or not same:
            found.append(f"row {at + 1}: {answer} instead of {list(expected[at].values())}")
    return found


def near_tie(probabilities):
    first, second = sorted(probabilities, reverse=True)[:2]
    return first - second <= TOLERANCE


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--to", required=True, choices=PACKAGES)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--most", type=int, help="models, the first by their names")
    given = parser.parse_args()
    for package in PACKAGES[given.to]:
        try:
            importlib.import_module(package)
        except ImportError:
            print(f"skipped: there is no package {package}")
            return SKIPPED
    standard = {"onnx": Onnx, "pmml": Pmml}[given.to]()
    models = [model for model in sorted(given.models.glob("*.json"))
              if not given.only or model.stem in given.only][:given.most]
    failed = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            file = str(Path(folder) / f"{model.stem}.{given.to}")
            result = export(given, model, file)
            if result.returncode == 1 and re.search("cannot express", result.stderr):
                refused += 1
                continue
            faults = [result.stderr] if result.returncode != 0 else faults_of(standard, file)
            if faults:
                failed += 1
                print(f"{model.stem}: {len(faults)} faults\n  " + "\n  ".join(faults[:3]))
    print(f"{given.to}: {len(models)} models, {refused} refused, {failed} failed")
    return bool(failed) or not models


if __name__ == "__main__":
    sys.exit(main())
