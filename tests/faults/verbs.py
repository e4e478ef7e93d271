"""The verbs as the tests of faults run them: on which files, and what they write."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/cli/data"


@dataclasses.dataclass
class Verb:
    name: str
    words: list
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    prints: bool = True  # to standard output


def on_model(name, *words, data=True, **rest):
    inputs = ["model.json"] + ["iris.csv"] * data
    return Verb(name, [*name.split(), *inputs, *words], inputs, **rest)


EVOLVE = "evolve population=20 generations=200 patience=200"

VERBS = [
    Verb("train", "train iris.csv --quiet -o out.json".split(), ["iris.csv"], ["out.json"]),
    Verb("train of a .gz", "train iris.csv.gz --quiet -o out.json".split(), ["iris.csv.gz"], ["out.json"]),
    Verb("train of ARFF", "train fruit.arff --quiet -o out.json".split(), ["fruit.arff"], ["out.json"]),
    Verb("train with a checkpoint",
         ["train", "iris.csv", "--quiet", "--recipe", EVOLVE, "--checkpoint", "state", "-o", "out.json"],
         ["iris.csv"], ["out.json", "state"]),
    on_model("rework", "--quiet", "--recipe", "prune by=simplify", "-o", "out.json", outputs=["out.json"]),
    on_model("predict", "--quiet", "--proba", "-o", "out.csv", outputs=["out.csv"], prints=False),
    on_model("predict"),
    on_model("evaluate", "--json"),
    Verb("cv", "cv iris.csv --folds 3 --quiet".split(), ["iris.csv"]),
    on_model("show", "--rules", data=False),
    on_model("explain", "--row", "3", "--quiet"),
    on_model("plot", "--view", "tree", "-o", "out.svg", outputs=["out.svg"], prints=False),
    on_model("report", "--quiet", "-o", "out.html", outputs=["out.html"], prints=False),
    *(on_model("export", "--to", form, "-o", "out" + end, data=False, outputs=["out" + end], prints=False)
      for form, end in (("c", ".c"), ("java", ".java"), ("sql", ".sql"), ("onnx", ".onnx"), ("pmml", ".pmml"))),
    Verb("data describe", "data describe iris.csv".split(), ["iris.csv"]),
    Verb("data generate", "data generate xor rows=500 -o out.csv".split(), [], ["out.csv"], prints=False),
    Verb("data split", "data split iris.csv --quiet -o a.csv b.csv".split(), ["iris.csv"], ["a.csv", "b.csv"]),
    Verb("data fetch", "data fetch openml:7 -o out.arff".split(), [], ["out.arff"]),
    Verb("methods", ["methods", "cart"]),
    Verb("options", ["options", "--json"]),
    Verb("reproduce", ["reproduce"]),
    Verb("demo", ["demo"]),
]


class Folder:
    """A folder with the program and every input, which nobody in particular may read."""

    def __init__(self, program):
        self.temporary = tempfile.TemporaryDirectory(prefix="softwood-faults-")
        self.path = pathlib.Path(self.temporary.name)
        os.chmod(self.path, 0o755)
        self.program = self.path / "softwood"
        shutil.copy(program, self.program)
        self.inputs = self.path / "inputs"
        self.inputs.mkdir()
        shutil.copy(DATA / "iris.csv", self.inputs)
        with open(self.inputs / "iris.csv.gz", "wb") as packed:
            subprocess.run(["gzip", "-nc", DATA / "iris.csv"], stdout=packed, check=True)
        # What 'data fetch' keeps: with it there no server is asked.
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.inputs / "cache"), COLUMNS="100")
        subprocess.run(["python3", DATA / "openml_server.py", self.program, "data", "fetch", "openml:7",
                        "-o", "fruit.arff"], cwd=self.inputs, env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)
        self.make_default_cache()
        self.run(["train", "iris.csv", "--quiet", "-o", "model.json"], self.inputs)

    def make_default_cache(self):
        # The server of the test had an address, and so a folder, of its own.
        cache = self.inputs / "cache/softwood/openml"
        for file in cache.glob("*/7.*"):
            shutil.copy(file, cache)

    def run(self, words, folder, check=True, **rest):
        rest.setdefault("stdin", subprocess.DEVNULL)
        rest.setdefault("stdout", subprocess.PIPE)
        rest.setdefault("stderr", subprocess.PIPE)
        rest.setdefault("env", self.environment)
        return subprocess.run([self.program, *words], cwd=folder, check=check, **rest)

    def fresh(self, verb, old=b""):
        """A folder of its own for one run, with the inputs, and outputs of an earlier run."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.path))
        for name in verb.inputs:
            shutil.copy(self.inputs / name, folder)
        if old:
            for name in verb.outputs:
                if name != "state":
                    (folder / name).write_bytes(old)
        return folder

    def close(self):
        self.temporary.cleanup()


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
