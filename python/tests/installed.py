"""Uses the package as pip installed it: scripts/test-install runs this in environments that have
nothing else, and again when scikit-learn is there."""

import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import softwood

# What every Linux has (PEP 600); all else comes with the wheel.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+|libz)[-.]")


def check_libraries():
    """The extension of a wheel needs nothing from the distribution."""
    site = Path(softwood.__file__).parents[1]
    for line in subprocess.check_output(["ldd", softwood._core.__file__], text=True).splitlines():
        name, _, path = line.strip().partition(" => ")
        assert path.startswith(str(site)) or SYSTEM.match(Path(name).name), line


def check_functions():
    data = softwood.generate("twonorm", rows=200)
    model = softwood.train(data)
    assert model.is_classifier and model.leaves > 1
    assert len(model.predict(data)) == 200
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.json")
        assert softwood.load(Path(folder) / "model.json").to_text() == model.to_text()


def check_estimators():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    tree = softwood.CartClassifier(max_depth=4).fit(X, y)
    assert tree.score(X, y) > 0.9 and tree.classes_.tolist() == ["no", "yes"]
    assert softwood.CartRegressor().fit(X, X[:, 0]).score(X, X[:, 0]) > 0.9
    if importlib.util.find_spec("sklearn"):
        from sklearn.model_selection import cross_val_score

        assert cross_val_score(softwood.CartClassifier(), X, y, cv=4).mean() > 0.8


def check_program():
    version = importlib.metadata.version("softwood")
    assert version == softwood.__version__
    for command in ([sys.executable, "-m", "softwood"], [Path(sys.executable).parent / "softwood"]):
        assert subprocess.check_output([*command, "--version"], text=True) == f"softwood {version}\n"


def check_types():
    folder = Path(softwood.__file__).parent
    assert (folder / "py.typed").exists() and "class TreeModel" in (folder / "_core.pyi").read_text()


def main():
    folder = Path(softwood.__file__).parent
    assert Path(sys.prefix) in folder.parents, f"{folder} is not installed"
    if "--wheel" in sys.argv:
        check_libraries()
    check_functions()
    check_estimators()
    check_program()
    check_types()
    others = [name for name in ("sklearn", "pandas") if importlib.util.find_spec(name)]
    print(f"softwood {softwood.__version__} works beside NumPy {np.__version__}", *others)


if __name__ == "__main__":
    main()
