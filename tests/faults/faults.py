#!/usr/bin/env python3
"""Each verb with each fault of the system: one clear error, the exit code that is promised, and no file that is lost,
half-written or left behind.

Usage: faults.py --program PROGRAM --shim SHIM [unittest's arguments]
"""
import argparse
import contextlib
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import unittest

from verbs import VERBS, Folder, contents

OLD = b"of an earlier run"
NOBODY = 65534
FAILED, BAD_DATA = 1, 3
given = None  # the arguments
folder = None


def reading():
    return [verb for verb in VERBS if verb.inputs]


def writing():
    return [verb for verb in VERBS if verb.outputs]


def using_files():
    return [verb for verb in VERBS if verb.inputs or verb.outputs]


def printing():
    return [verb for verb in VERBS if verb.prints]


def setUpModule():
    global folder
    folder = Folder(given.program)


def tearDownModule():
    folder.close()


def sanitized():
    """Sanitizers need libraries before all others, and a huge address space."""
    linked = subprocess.run(["ldd", given.program], capture_output=True, text=True, check=True).stdout
    symbols = pathlib.Path(given.program).read_bytes()
    return b"__asan_init" in symbols or b"__tsan_init" in symbols or "libasan" in linked


def errors_of(stderr):
    lines = stderr.decode("utf-8", "replace").splitlines()
    return [line for line in lines if not line.startswith(("note: ", "warning: "))]


class Case(unittest.TestCase):
    maxDiff = 2000

    def expected(self, verb):
        """What the verb prints and writes without a fault, found once."""
        if not hasattr(verb, "expected"):
            place = folder.fresh(verb)
            done = folder.run(verb.words, place)
            verb.expected = done.stdout, contents(place)
            shutil.rmtree(place)
        return verb.expected

    def check_error(self, done, code, what=""):
        lines = errors_of(done.stderr)
        self.assertEqual(done.returncode, code, lines)
        self.assertIn(len(lines), (1, 2), lines)
        self.assertTrue(lines[0].startswith("softwood: "), lines)
        self.assertNotIn("internal error", lines[0])
        self.assertIn(what, lines[0])

    def check_files(self, verb, place, complete=False, inputs=True):
        """Outputs are as they were, or whole; nothing else is there."""
        _, whole = self.expected(verb)
        found = contents(place)
        self.assertLessEqual(set(found), set(verb.inputs) | set(verb.outputs))
        for name in verb.outputs:
            if name == "state":
                continue  # a checkpoint is whatever state was reached
            states = [whole[name]] if complete else [OLD, whole[name]]
            self.assertIn(found[name], states, name)
        for name in verb.inputs if inputs else []:
            self.assertEqual(found[name], whole[name], name)

    @contextlib.contextmanager
    def place(self, verb):
        """A folder for one run, as a test of its own."""
        self.expected(verb)
        place = folder.fresh(verb, OLD)
        with self.subTest(verb=" ".join(verb.words)):
            yield place
        os.chmod(place, 0o755)
        shutil.rmtree(place)

    def shimmed(self, fault):
        if not sys.platform.startswith("linux") or sanitized():
            self.skipTest("skipped: the shim can't be loaded before a sanitizer")
        return dict(folder.environment, LD_PRELOAD=given.shim, SOFTWOOD_FAULT=fault,
                    SOFTWOOD_FAULT_FOLDER=str(folder.path))

    def as_nobody(self, place):
        """How to run a program that may not do everything."""
        if os.geteuid() != 0:
            return {}
        for path in [place, *place.iterdir()]:
            os.chown(path, NOBODY, NOBODY)
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


class Writing(Case):
    def test_full_disk(self):
        for room in (0, 1, 400):
            environment = self.shimmed(f"full:{room}")
            for verb in writing():
                with self.place(verb) as place:
                    done = folder.run(verb.words, place, check=False, env=environment)
                    self.check_error(done, FAILED, "No space left on device")
                    self.check_files(verb, place)

    def test_full_disk_of_the_system(self):
        disk = folder.path / "disk"
        disk.mkdir(exist_ok=True)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                                               capture_output=True, check=False).returncode != 0:
            self.skipTest("skipped: only root can make a small disk")
        try:
            for name in ("iris.csv", "model.json"):
                shutil.copy(folder.inputs / name, disk)
            with open(disk / "filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(b"x" * 512)
                except OSError:
                    pass
            before = contents(disk)
            for verb in VERBS:
                if not verb.outputs or not set(verb.inputs) <= set(before):
                    continue
                with self.subTest(verb=" ".join(verb.words)):
                    done = folder.run(verb.words, disk, check=False)
                    self.check_error(done, FAILED, "No space left on device")
                    self.assertEqual(contents(disk), before)
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_limit_of_file_sizes(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for verb in writing():
            with self.place(verb) as place:
                done = folder.run(verb.words, place, check=False, preexec_fn=limit)
                self.check_error(done, FAILED, "File too large")
                self.check_files(verb, place)

    def test_read_only_folder(self):
        for verb in writing():
            with self.place(verb) as place:
                rights = self.as_nobody(place)
                os.chmod(place, 0o555)
                done = folder.run(verb.words, place, check=False, **rights)
                self.check_error(done, FAILED, "Permission denied")
                self.check_files(verb, place)

    def test_read_only_output(self):
        for verb in writing():
            with self.place(verb) as place:
                rights = self.as_nobody(place)
                os.chmod(place / verb.outputs[0], 0o444)
                done = folder.run(verb.words, place, check=False, **rights)
                self.check_error(done, FAILED, "Permission denied")
                self.check_files(verb, place)

    def test_no_folder(self):
        for verb in writing():
            with self.place(verb) as place:
                at = [len(verb.words) - len(verb.outputs) if verb.name == "data split" else -1][0]
                words = list(verb.words)
                words[at] = "nowhere/" + words[at]
                done = folder.run(words, place, check=False)
                self.check_error(done, FAILED, "No such file or directory")
                self.check_files(verb, place)


class Printing(Case):
    def test_full_standard_output(self):
        for verb in printing():
            with self.place(verb) as place:
                with open("/dev/full", "wb") as full:
                    done = folder.run(verb.words, place, check=False, stdout=full)
                self.check_error(done, FAILED, "standard output: can't be written: No space left")
                self.check_files(verb, place)

    def test_closed_pipe(self):
        for verb in printing():
            with self.place(verb) as place:
                reader, writer = os.pipe()
                os.close(reader)
                done = folder.run(verb.words, place, check=False, stdout=writer)
                os.close(writer)
                self.check_error(done, FAILED, "standard output: can't be written: Broken pipe")
                self.check_files(verb, place)

    def test_closed_standard_output(self):
        for verb in printing():
            with self.place(verb) as place:
                done = folder.run(verb.words, place, check=False, preexec_fn=lambda: os.close(1))
                self.check_error(done, FAILED, "standard output: can't be written: Bad file descriptor")
                self.check_files(verb, place)

    def test_messages_that_nobody_can_read(self):
        """Notes are lost, the work is not."""
        def closed_pipe():
            reader, writer = os.pipe()
            os.close(reader)
            return os.fdopen(writer, "wb")
        for name, opened in (("full", lambda: open("/dev/full", "wb")), ("closed pipe", closed_pipe)):
            for verb in VERBS:
                with self.place(verb) as place:
                    words = [word for word in verb.words if word != "--quiet"]
                    with opened() as lost:
                        done = folder.run(words, place, stdout=subprocess.DEVNULL, check=False, stderr=lost)
                    self.assertEqual(done.returncode, 0, name)
                    self.check_files(verb, place, complete=True)

    def test_errors_that_nobody_can_read(self):
        for words, code in ((["train", "nothing.csv"], BAD_DATA), (["trian"], 2), (["show", "nothing.json"], BAD_DATA)):
            with open("/dev/full", "wb") as full:
                self.assertEqual(folder.run(words, folder.path, check=False, stderr=full).returncode, code)


class Reading(Case):
    def test_short_reads_and_writes(self):
        self.check_harmless("short")

    def test_interrupted_calls(self):
        self.check_harmless("interrupt")

    def check_harmless(self, fault):
        environment = self.shimmed(fault)
        for verb in using_files():
            with self.place(verb) as place:
                done = folder.run(verb.words, place, check=False, env=environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check_files(verb, place, complete=True)

    def test_file_that_shrinks(self):
        environment = self.shimmed("shrink")
        for verb in reading():
            with self.place(verb) as place:
                done = folder.run(verb.words, place, check=False, env=environment)
                self.check_error(done, BAD_DATA)
                self.check_files(verb, place, inputs=False)

    def test_reading_fails(self):
        environment = self.shimmed("error")
        for verb in reading():
            with self.place(verb) as place:
                done = folder.run(verb.words, place, check=False, env=environment)
                self.check_error(done, BAD_DATA, "Input/output error")
                self.check_files(verb, place)

    def test_no_permission(self):
        for verb in reading():
            with self.place(verb) as place:
                rights = self.as_nobody(place)
                for name in verb.inputs:
                    os.chmod(place / name, 0)
                done = folder.run(verb.words, place, check=False, **rights)
                for name in verb.inputs:
                    os.chmod(place / name, 0o644)
                self.check_error(done, BAD_DATA, "Permission denied")
                self.check_files(verb, place)

    def test_no_file_and_a_folder(self):
        for make, what in ((None, "No such file or directory"), (os.mkdir, "is a folder")):
            for verb in reading():
                with self.place(verb) as place:
                    os.unlink(place / verb.inputs[-1])
                    if make:
                        make(place / verb.inputs[-1])
                    done = folder.run(verb.words, place, check=False)
                    self.check_error(done, BAD_DATA, what)

    def test_cut_anywhere(self):
        """A file that was cut short before is an error or a shorter file, never a crash."""
        for verb in reading():
            with self.place(verb) as place:
                whole = (place / verb.inputs[-1]).read_bytes()
                for length in {0, 1, len(whole) // 3, len(whole) - 1}:
                    (place / verb.inputs[-1]).write_bytes(whole[:length])
                    done = folder.run(verb.words, place, check=False)
                    self.assertIn(done.returncode, (0, BAD_DATA), done.stderr)


class Memory(Case):
    def test_limits_of_memory(self):
        if sanitized():
            self.skipTest("skipped: sanitizers need a huge address space")
        for verb in VERBS:
            with self.place(verb) as place:
                outcomes = set()
                for mega in given.memory:
                    def limit(size=mega << 20):
                        resource.setrlimit(resource.RLIMIT_AS, (size, size))
                        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                    done = folder.run(verb.words, place, check=False, preexec_fn=limit)
                    if b"error while loading shared libraries" in done.stderr:
                        continue  # the program itself did not fit
                    outcomes.add(done.returncode)
                    with self.subTest(mega=mega):
                        if done.returncode == 0:
                            self.check_files(verb, place, complete=True)
                        else:
                            self.check_error(done, FAILED, "memory")
                            self.check_files(verb, place)
                self.assertIn(0, outcomes, "the largest limit is enough")


class Threads(Case):
    def test_no_threads(self):
        environment = self.shimmed("threads")
        outcomes = set()
        for verb in VERBS:
            with self.place(verb) as place:
                done = folder.run(verb.words, place, check=False, env=environment)
                outcomes.add(done.returncode)
                if done.returncode == 0:  # one thread was enough
                    self.check_files(verb, place, complete=True)
                else:
                    self.check_error(done, FAILED, "threads")
                    self.check_files(verb, place)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertIn(FAILED, outcomes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--program", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--memory", default="16 19 20 22 26 40 800",
                        type=lambda text: [int(word) for word in text.split()],
                        help="limits of the address space, MiB")
    given, rest = parser.parse_known_args()
    given.shim = os.path.abspath(given.shim)
    unittest.main(argv=[sys.argv[0], *rest])
