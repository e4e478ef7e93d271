#!/usr/bin/env python3
"""Checks that the documents hold together: every relative link of a Markdown file leads to a file,
every fragment to a heading of it, every docs/ path in sources and scripts to a page, and every path
of the repository that a document names exists.

Usage: documents.py [ROOT]
"""
import pathlib
import re
import sys

FENCED = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*([^)\s]+)\s*\)")
HEADING = re.compile(r"^#{1,6} +(.*?)\s*$", re.MULTILINE)
PAGE = re.compile(r"\bdocs/[\w./-]+\.(?:md|svg)\b")
# NAME stands for a name of one's own; a star for any.
PATH = re.compile(r"(?<![\w/.<-])(?:src|tests|bench|scripts|experiments|examples|include|cmake|docs)/[\w./*-]*[\w*]")
SOURCES = {".h", ".cpp", ".py", ".cmake", ".txt", ".R", ".test", ".json", ""}
OWN = {"documents.py", "documents_test.py"}  # they name pages that need not be there
FOLDERS = ("src", "include", "tests", "bench", "examples", "experiments", "scripts", "cmake")


def documents(root):
    """The pages of the repository; what was built is none of them."""
    yield from sorted(root.glob("*.md"))
    for folder in ("docs", "examples", "tests", "bench", "experiments"):
        yield from sorted((root / folder).rglob("*.md"))


def prose(text):
    """The text without code, in which brackets are no links; its lines keep their numbers."""
    for pattern in (FENCED, CODE):
        text = pattern.sub(lambda m: "\n" * m.group().count("\n"), text)
    return text


def slug(heading):
    """The fragment of a heading, as GitHub makes it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def fragments(path):
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    return {slug(heading) for heading in HEADING.findall(text)}


def check_links(path, root, faults):
    text = prose(path.read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        address = match.group(1)
        if re.match(r"[a-z]+:", address):
            continue
        place = f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
        name, _, fragment = address.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            faults.append(f"{place}: {address} does not exist")
        elif fragment and fragment not in fragments(target):
            faults.append(f"{place}: {address} has no such heading")


def check_mentions(path, pattern, root, faults):
    """What comments, scripts and documents name in passing."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(lines, 1):
        for name in pattern.findall(line):
            fault = f"{path.relative_to(root)}:{number}: {name} does not exist"
            if "NAME" not in name and not any(root.glob(name)) and fault not in faults:
                faults.append(fault)


def check(root):
    faults = []
    for path in documents(root):
        check_links(path, root, faults)
        if path.name != "CHANGELOG.md":  # it is about what was
            check_mentions(path, PATH, root, faults)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in SOURCES and path.name not in OWN:
                check_mentions(path, PAGE, root, faults)
    return faults


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    faults = check(root if root.is_dir() else root.parents[1])
    print("\n".join(faults) if faults else "all links lead somewhere")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
