#!/usr/bin/env python3
"""Tests of the check of the documents: it finds what is broken and nothing else."""
import pathlib
import tempfile
import unittest

import documents


def faults(**files):
    """What the check says of a repository with these files; `__` in a name is a slash."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in files.items():
            path = root / name.replace("__", "/").replace("_md", ".md").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return documents.check(root)


class Documents(unittest.TestCase):
    def test_links_that_lead_somewhere(self):
        self.assertEqual(faults(README_md="[a](docs/a.md) [w](https://example.org) [h](#top)\n# Top\n",
                                docs__a_md="[up](../README.md#top)\n"), [])

    def test_links_that_lead_nowhere(self):
        self.assertEqual(faults(README_md="\n[a](docs/b.md)\n"), ["README.md:2: docs/b.md does not exist"])
        self.assertEqual(faults(README_md="[a](#nowhere)\n"), ["README.md:1: #nowhere has no such heading"])

    def test_headings_as_github_names_them(self):
        self.assertEqual(faults(README_md="# What `cv` is, and isn't\n[a](#what-cv-is-and-isnt)\n"), [])

    def test_code_holds_no_links(self):
        self.assertEqual(faults(README_md="`a[1](x)`\n```cpp\nf[i](x)\n```\n"), [])

    def test_pages_that_sources_name(self):
        self.assertEqual(faults(docs__a_md="", bench__x_py="# docs/a.md\n"), [])
        self.assertEqual(faults(bench__x_py="OUT = 'docs/a.md'\n"), ["bench/x.py:1: docs/a.md does not exist"])

    def test_paths_that_documents_name(self):
        files = {"src__a_py": ""}
        self.assertEqual(faults(README_md="`src/a.py`, src/*.py, `tests/NAME.py`\n", **files), [])
        self.assertEqual(faults(README_md="see `src/b.py`.\n", **files), ["README.md:1: src/b.py does not exist"])


if __name__ == "__main__":
    unittest.main()
