#!/usr/bin/env python3
"""Checks the rules of the source tree that no compiler checks (docs/architecture.md).

Usage: architecture.py [ROOT]
"""
import pathlib
import re
import sys

LAYERS = "base data tree stats engine lower use explain fit gradient stages study cluster render api reproduce cli".split()
MAX_LINES = 600

# Comments and literals do not count as code. Raw strings first: they may hold anything.
NOT_CODE = re.compile(
    r'R"([^()\\ ]*)\(.*?\)\1"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'  # string
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"  # character, but not a digit separator
    r"|//[^\n]*|/\*.*?\*/",
    re.S,
)
LOCAL_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
PRINTS = re.compile(r"\bstd::(cout|cerr|clog)\b|\bstd(out|err)\b|\b(printf|puts|putchar|vprintf)\s*\(|\bfmt::print\b")
THREADS = re.compile(
    r"#\s*include\s*<(tbb/|oneapi/tbb|thread|future|execution|pthread\.h)"
    r"|\bstd::(thread|jthread|async)\b|\btbb::"
)
# Which kind a gate is of is known in tree/gates alone; all others ask questions (tree/gate.h).
GATE_KINDS = re.compile(r"\bGateKind\b")
INSIDE_GATES = ("tree/gates/", "tree/gate.h")
# A comparison would take a link that is added later for the other one; a switch does not compile.
# Whether a link is a step may be asked: every other one is soft.
LINKS = re.compile(r"[!=]=\s*(\w+::)*(LinkForm|SoftLink)::(?!step\b)|\b(LinkForm|SoftLink)::(?!step\b)\w+\s*[!=]=")
# Not the variables of style sheets: var(--ink), {--ink:
COMMAND_LINE_WORD = re.compile(r"(?<![\w-])(?<!var\()(?<![{;])--[a-z]")
FILES = re.compile(r"#\s*include\s*<fstream>|\bfopen\s*\(")


def code_of(text):
    """The text without comments and literals, but with the same lines."""
    return NOT_CODE.sub(lambda m: "\n" * m.group().count("\n"), text)


def command_line_words(text):
    """The numbers of the lines with a literal that holds a word of the command line: --seed."""
    for literal in NOT_CODE.finditer(text):
        if literal.group().startswith("/"):
            continue
        for word in COMMAND_LINE_WORD.finditer(literal.group()):
            yield text.count("\n", 0, literal.start() + word.start()) + 1


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".h", ".cpp", ".py"})


def stage_of(name):
    """The stage that a file below src belongs to: the folder of src/stages; none elsewhere."""
    parts = name.split("/")
    return parts[1] if parts[0] == "stages" and len(parts) > 2 else None


def check_code(path, name, layer, faults):
    """Rules of one file in src/<layer>; name is its path below src."""
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        include = LOCAL_INCLUDE.match(line)
        if not include:
            continue
        target = include.group(1).split("/")[0]
        if include.group(1) == "tree/gates/gate_kind.h" and not name.startswith(INSIDE_GATES):
            faults.append(f"src/{name}:{number}: only tree/gates looks into a gate")
        if target in LAYERS and LAYERS.index(target) > LAYERS.index(layer):
            faults.append(f"src/{name}:{number}: {layer} may not include {include.group(1)}")
        elif target not in LAYERS and target != "softwood":
            faults.append(f'src/{name}:{number}: include by the path from src/: "{include.group(1)}"')
        own, other = stage_of(name), stage_of(include.group(1))
        if own and other and own != other:
            faults.append(f"src/{name}:{number}: stage {own} may not include stage {other}")

    for number, line in enumerate(code_of(text).splitlines(), 1):
        if layer != "cli" and PRINTS.search(line):
            faults.append(f"src/{name}:{number}: only cli prints")
        if not name.startswith(INSIDE_GATES) and GATE_KINDS.search(line):
            faults.append(f"src/{name}:{number}: only tree/gates looks into a gate")
        if LINKS.search(line):
            faults.append(f"src/{name}:{number}: ask a link by a switch")
        if not name.startswith("base/parallel") and THREADS.search(line):
            faults.append(f"src/{name}:{number}: only base/parallel knows threads")
        if layer not in ("cli", "study", "api", "reproduce") and not name.startswith("data/readers/") and FILES.search(line):
            faults.append(f"src/{name}:{number}: only cli, reproduce, api, study and data/readers open files")

    if layer not in ("cli", "reproduce"):
        for number in command_line_words(text):
            faults.append(f"src/{name}:{number}: only cli knows words of the command line")


def check(root):
    faults = []
    for path in sources(root / "src"):
        name = path.relative_to(root / "src").as_posix()
        layer = name.split("/")[0]
        if layer in LAYERS:
            check_code(path, name, layer, faults)
        else:
            faults.append(f"src/{name}: {layer} is not a layer")

    for path in sources(root / "include"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = LOCAL_INCLUDE.match(line)
            if include and not include.group(1).startswith("softwood/"):
                faults.append(f"{path.relative_to(root)}:{number}: {include.group(1)} is not installed")

    for path in sources(root / "python" / "binding"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = LOCAL_INCLUDE.match(line)
            own = include and (include.group(1).startswith("softwood/") or include.group(1) in ("binding.h", "arrow.h"))
            if include and not own and (path.name, include.group(1)) != ("program.cpp", "cli/program.h"):
                faults.append(f"{path.relative_to(root)}:{number}: the binding uses include/softwood alone")

    for folder in ("src", "include", "python", "tests", "bench", "examples", "experiments"):
        for path in sources(root / folder):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MAX_LINES:
                faults.append(f"{path.relative_to(root)}: {lines} lines, at most {MAX_LINES}")
    return faults


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    faults = check(root)
    print("\n".join(faults) if faults else "no faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
