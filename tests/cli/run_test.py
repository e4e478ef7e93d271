#!/usr/bin/env python3
"""Tests of the test runner itself."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import run


def outcome(text, accepting=False, name="x.test"):
    """Number of failed cases, and the file's text afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            failed = run.run_file(path, pathlib.Path("/bin/true"), accepting)
        return failed, path.read_text(encoding="utf-8")


def failed(text):
    return outcome(text)[0]


class Runner(unittest.TestCase):
    def test_output(self):
        self.assertEqual(failed("$ echo a\na\n"), 0)
        self.assertEqual(failed("$ echo a\nb\n"), 1)
        self.assertEqual(failed("$ echo a\n"), 1)
        self.assertEqual(failed("$ printf 'a\\n\\nb\\n\\n'\na\n\nb\n\n# end\n"), 0)

    def test_wildcards(self):
        self.assertEqual(failed("$ seq 9\n1\n...\n9\n"), 0)
        self.assertEqual(failed("$ seq 9\n...\n8\n"), 1)
        self.assertEqual(failed("$ echo a.b 12 s\na.b {...} s\n"), 0)
        self.assertEqual(failed("$ echo axb 12 s\na.b {...} s\n"), 1)
        self.assertEqual(failed("$ echo a b\n{word} b\n"), 0)
        self.assertEqual(failed("$ echo a a b\n{word} b\n"), 1)

    def test_exit_code_and_error_output(self):
        self.assertEqual(failed("$ echo note >&2\n"), 0)
        self.assertEqual(failed("$ echo note >&2\n! other\n"), 1)
        self.assertEqual(failed("$ exit 3\n[exit 3]\n"), 0)
        self.assertEqual(failed("$ exit 3\n"), 1)
        self.assertEqual(failed("$ echo why >&2; exit 3\n[exit 3]\n"), 1)
        self.assertEqual(failed("$ echo why >&2; exit 3\n! why\n[exit 3]\n"), 0)
        self.assertEqual(failed("$ kill -SEGV $$\n! ...\n[exit 139]\n"), 0)

    def test_cases_share_a_folder(self):
        self.assertEqual(failed("$ cat > f <<E\n> x y\n>\n> E\n\n$ cat f\nx y\n"), 0)
        self.assertEqual(failed("$ test -d $DATA && softwood\n"), 0)

    def test_accept_rewrites_what_differs(self):
        before = "# why\n$ echo 1 s; echo b; echo '# c'\n{...} s\nx\n\n$ echo e >&2; exit 2\n# end\n"
        after = "# why\n$ echo 1 s; echo b; echo '# c'\n{...} s\nb\n\\# c\n\n$ echo e >&2; exit 2\n! e\n[exit 2]\n# end\n"
        self.assertEqual(outcome(before, accepting=True), (0, after))
        self.assertEqual(failed(after), 0)
        self.assertEqual(outcome(after, accepting=True)[1], after)

    def test_any_output_can_be_accepted(self):
        text = "$ printf '%s\\n' '$ a' '> b' '! c' '[exit 1]' ... '\\d' '' '#'\n"
        accepted = outcome(text, accepting=True)[1]
        self.assertEqual(failed(accepted), 0)

    def test_console_blocks_of_a_document_are_run(self):
        text = "# Title\n\n    $ false\n\n```console\n$ echo 1 > f\n```\nthen\n```console\n$ cat f\n1\n```\n"
        self.assertEqual(outcome(text, name="x.md"), (0, text))
        self.assertEqual(outcome(text.replace("\n1\n", "\n2\n"), name="x.md")[0], 1)

    def test_a_document_is_accepted_block_by_block(self):
        before = "# Title\n\n```console\n$ echo a; echo seconds 2\nx\nseconds 1\n```\n*text*\n```console\n$ echo b\n```\n"
        after = before.replace("\nx\n", "\na\n").replace("$ echo b\n", "$ echo b\nb\n")
        self.assertEqual(outcome(before, accepting=True, name="x.md"), (0, after))
        self.assertEqual(outcome(after, name="x.md")[0], 0)

    def test_seconds_in_a_column_of_a_document_may_differ(self):
        table = "```console\n$ printf 'x  seconds\\n1  2 ± 3\\n\\n1  2 ± 3\\n'\nx  seconds\n1  4 ± 5\n\n1  2 ± 3\n```\n"
        self.assertEqual(outcome(table, name="x.md"), (0, table))
        self.assertEqual(outcome(table, accepting=True, name="x.md"), (0, table))
        self.assertEqual(outcome(table.replace("\n1  4", "\n2  4"), name="x.md")[0], 1)
        self.assertEqual(outcome(table.replace("\n1  4", "\n4"), name="x.md")[0], 1)
        self.assertEqual(outcome(table.replace("\n1  2 ± 3\n`", "\n1  4 ± 5\n`"), name="x.md")[0], 1)


if __name__ == "__main__":
    unittest.main()
