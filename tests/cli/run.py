#!/usr/bin/env python3
"""Runs command line tests: text files of commands with the output they should give.

    # A comment.
    $ softwood predict model.json $DATA/rows.csv     run by bash; DATA is tests/cli/data
    > more lines of the command                      (a here-document, say)
    class                                            expected standard output
    {...} rows                                       {...} is any text within a line, {word} any without a space
    ...                                              any number of lines
    ! softwood: no such file: rows.csv               expected standard error
    [exit 3]                                         expected exit code, 0 if not given

The cases of a file run in one fresh folder, in order. Standard error is ignored when the exit
code is 0 and no line begins with "! ". Blank lines at the end of an output do not count. An
output line that would be read as something else is written with a backslash before it.

Of a Markdown file the ```console blocks are run, in one folder as well; seconds may differ.
"""
import argparse
import dataclasses
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT_PROGRAM = ROOT / "build/dev/softwood"
SPECIAL = re.compile(r"\\|\$ |> |! |!$|#|\[exit -?\d+\]$|\.\.\.$")
EXIT = re.compile(r"\[exit (-?\d+)\]$")


@dataclasses.dataclass
class Case:
    line: int
    lead: list  # comments and blank lines before the command, kept by --accept
    command: list
    out: list = dataclasses.field(default_factory=list)
    err: list = dataclasses.field(default_factory=list)
    code: int = 0


def parse(text):
    """The cases of a file, and its last comments."""
    cases, lead = [], []
    in_command = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            cases.append(Case(number, lead, [line[2:]]))
            lead, in_command = [], True
            continue
        if in_command and (line.startswith("> ") or line == ">"):
            cases[-1].command.append(line[2:])
            continue
        in_command = False
        if line.startswith("#") or not line:
            lead.append(line)
            continue
        if not cases:
            raise ValueError(f"line {number}: output before the first command")
        # Blank lines between two lines of output belong to the output.
        case = cases[-1]
        blanks = [x for x in lead if not x]
        case.lead += [x for x in lead if x]
        lead = []
        if EXIT.match(line):
            case.code = int(EXIT.match(line).group(1))
        elif line.startswith("! ") or line == "!":
            case.err += (blanks if case.err else []) + [line[2:]]
        else:
            case.out += blanks + [line]
    return cases, lead


def escape(line):
    return "\\" + line if SPECIAL.match(line) else line


def render(cases, tail):
    lines = []
    for case in cases:
        lines += case.lead
        lines.append("$ " + case.command[0])
        lines += [("> " + x).rstrip() for x in case.command[1:]]
        lines += case.out
        lines += [("! " + x).rstrip() for x in case.err]
        if case.code:
            lines.append(f"[exit {case.code}]")
    return "\n".join(lines + tail) + "\n"


WILD = {"{...}": ".*", "{word}": r"\S+"}


def line_matches(pattern, line):
    if pattern.startswith("\\"):
        pattern = pattern[1:]
    parts = re.split(r"(\{\.\.\.\}|\{word\})", pattern)
    return re.fullmatch("".join(WILD.get(x) or re.escape(x) for x in parts), line) is not None


def matches(patterns, lines):
    """Whether the lines fit the patterns, "..." being any number of lines."""
    # reachable: how many lines can have been used up by the patterns so far
    reachable = {0}
    for pattern in patterns:
        if pattern == "...":
            reachable = set(range(min(reachable), len(lines) + 1))
        else:
            reachable = {i + 1 for i in reachable if i < len(lines) and line_matches(pattern, lines[i])}
        if not reachable:
            return False
    return len(lines) in reachable


def accepted(patterns, lines):
    """The patterns that replace the old ones: kept when they fit, line by line if need be."""
    if matches(patterns, lines):
        return patterns
    wild = [p for p in patterns if any(x in p for x in WILD)]
    return [next((p for p in wild if line_matches(p, line)), escape(line)) for line in lines]


def lines_of(output):
    lines = output.decode("utf-8", "replace").splitlines()
    while lines and not lines[-1]:
        lines.pop()
    return lines


def run(case, folder, environment):
    """Standard output, standard error and exit code of one command."""
    done = subprocess.run(["bash", "-c", "\n".join(case.command)], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True)
    # A signal shows as in a shell: 128 + its number.
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return lines_of(done.stdout), lines_of(done.stderr), code


def difference(title, patterns, lines):
    yield from difflib.unified_diff(patterns, lines, f"expected {title}", f"actual {title}", lineterm="")


def check(case, out, err, code):
    """What is wrong, as lines to print; empty if nothing is."""
    faults = []
    if not matches(case.out, out):
        faults += difference("output", case.out, out)
    # A failure must say what it says; success may leave its notes unmentioned.
    look_at_err = bool(case.err) or case.code != 0 or code != 0
    if look_at_err and not matches(case.err, err):
        faults += difference("error output", case.err, err)
    if code != case.code:
        faults.append(f"exit code {code}, expected {case.code}")
    return faults


def accept(case, out, err, code):
    if case.err or code != 0:
        case.err = accepted(case.err, err)
    case.out = accepted(case.out, out)
    case.code = code


BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"(seconds +)\S.*")
SECONDS_CELL = re.compile(r"(.*\S +)\S+ ± \S+")  # the last one of a line


def loosen(block):
    """Pattern and text of each line of a block; of seconds, in a line or in a last column, any."""
    in_table = False
    for text in block.splitlines():
        line, cell = SECONDS.fullmatch(text), in_table and SECONDS_CELL.fullmatch(text)
        in_table = text.endswith(" seconds") or (in_table and bool(text))
        yield line.group(1) + "{...}" if line else cell.group(1) + "{word} ± {word}" if cell else text, text


def read_parts(path):
    """A list of (cases, last comments) of a test file, or one for each console block of a document."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md":
        return [parse(text)]
    parts = []
    for block in BLOCK.finditer(text):
        cases, tail = parse("\n".join(pattern for pattern, _ in loosen(block.group(1))))
        for case in cases:
            case.line += text.count("\n", 0, block.start(1))
        parts.append((cases, tail))
    if not parts:
        raise ValueError(f"{path}: has no console block")
    return parts


def write_parts(path, parts):
    if path.suffix != ".md":
        path.write_text(render(*parts[0]), encoding="utf-8")
        return
    renewed = iter(parts)

    def block(match):
        # A document shows no wildcards: lines whose pattern still fits stay what they were.
        shown = dict(loosen(match.group(1)))
        lines = [shown.get(line, line) for line in render(*next(renewed)).splitlines()]
        return "```console\n" + "".join(line + "\n" for line in lines) + "```"

    path.write_text(BLOCK.sub(block, path.read_text(encoding="utf-8")), encoding="utf-8")


def run_file(path, program, accepting):
    parts = read_parts(path)
    cases = [case for part, _ in parts for case in part]
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        base = pathlib.Path(temporary)
        (base / "bin").mkdir()
        (base / "work").mkdir()
        (base / "bin/softwood").symlink_to(program)
        os.environ.pop("COLUMNS", None)  # the width of lines
        environment = dict(os.environ, PATH=f"{base / 'bin'}:{os.environ['PATH']}", LC_ALL="C",
                           HOME=str(base / "work"), DATA=str(ROOT / "tests/cli/data"))
        for case in cases:
            out, err, code = run(case, base / "work", environment)
            if accepting:
                accept(case, out, err, code)
                continue
            faults = check(case, out, err, code)
            if faults:
                failed += 1
                print(f"{path}:{case.line}: $ {case.command[0]}")
                print("\n".join("    " + x for x in faults))
    if accepting:
        write_parts(path, parts)
        print(f"{path}: {len(cases)} outputs accepted")
    else:
        print(f"{path}: {len(cases) - failed} of {len(cases)} passed")
    return failed


def shown(path):
    """The path as one would type it in the repository."""
    return shlex.quote(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--program", type=pathlib.Path, default=DEFAULT_PROGRAM, help="default: build/dev/softwood")
    parser.add_argument("--accept", action="store_true", help="write what the program prints into the files")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if not program.exists():
        sys.exit(f"{program}: not there; build it first or name one with --program")

    failed = [file for file in arguments.files if run_file(file, program, arguments.accept)]
    if failed:
        other = "" if program == DEFAULT_PROGRAM else f"--program {shown(program)} "
        print("To accept the actual output:")
        print(f"    tests/cli/run.py --accept {other}" + " ".join(shown(f.resolve()) for f in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
