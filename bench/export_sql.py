"""Seconds that databases take for the SQL of large trees: SQLite, and PostgreSQL with its JIT compiler and without.

Usage: python3 bench/export_sql.py [--program SOFTWOOD] [--leaves N ...] [--rows N] [--limit SECONDS]

Trees are grown on noise, so that they have as many leaves as asked for. Each statement answers --rows rows once; one that
needs longer than --limit seconds is stopped. PostgreSQL is left out where its programs are not installed.
"""

import argparse
import glob
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time

from report import ROOT, machine, machine_text, table_text

COLUMNS = [f"x{i}" for i in range(5)]


def train(options, work, leaves):
    draw = random.Random(leaves)
    data = work / "noise.csv"
    with open(data, "w") as file:
        file.write(",".join([*COLUMNS, "y"]) + "\n")
        for _ in range(3 * leaves):
            cells = [repr(draw.random()) for _ in COLUMNS]
            file.write(",".join([*cells, draw.choice("ny")]) + "\n")
    model = work / "model.json"
    recipe = f"grow max-leaves={leaves} min-leaf=1 min-split=2"
    subprocess.run([options.program, "train", data, "--recipe", recipe, "--quiet", "-o", model], check=True,
                   stdout=subprocess.DEVNULL)
    return model


def statement(options, model, dialect):
    words = [options.program, "export", model, "--to", "sql", "--dialect", dialect]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def rows(count):
    draw = random.Random(0)
    return [[draw.random() for _ in COLUMNS] for _ in range(count)]


def seconds_of(seconds):
    return "over the limit" if seconds is None else f"{seconds:.2f} s"


def sqlite_seconds(options, text):
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE data ({', '.join(COLUMNS)})")
    database.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(COLUMNS))})", rows(options.rows))
    start = time.perf_counter()
    database.set_progress_handler(lambda: time.perf_counter() - start > options.limit, 100000)
    try:
        assert len(database.execute(text).fetchall()) == options.rows
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        return None
    return time.perf_counter() - start


class Server:
    """A PostgreSQL server of its own, which goes with its folder."""

    def __init__(self):
        folders = [None, *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)]
        found = [[shutil.which(name, path=folder) for name in ("initdb", "pg_ctl", "psql")] for folder in folders]
        self.initdb, self.pg_ctl, self.psql = next((programs for programs in found if all(programs)), [None] * 3)

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="softwood-pg-")
        self.user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        if self.user:
            shutil.chown(self.folder, self.user)
        data = os.path.join(self.folder, "data")
        self.run(self.initdb, "-D", data, "-U", "softwood", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.run(self.pg_ctl, "-D", data, "-w", "-l", os.path.join(self.folder, "log"), "-o",
                 f"-k {self.folder} -c listen_addresses= -c fsync=off", "start")
        return self

    def __exit__(self, *_):
        self.run(self.pg_ctl, "-D", os.path.join(self.folder, "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, **more):
        return subprocess.run(words, check=True, cwd=self.folder, user=self.user, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **more)

    def ask(self, script):
        self.run(self.psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "softwood", "-d", "postgres",
                 "-o", os.devnull, input=script.encode())

    def fill(self, count):
        columns = ", ".join(f"{name} DOUBLE PRECISION" for name in COLUMNS)
        values = ", ".join("(" + ", ".join(map(repr, row)) + ")" for row in rows(count))
        self.ask(f"CREATE TABLE data ({columns}); INSERT INTO data VALUES {values};")

    def seconds(self, text, jit, limit):
        start = time.perf_counter()
        try:
            self.ask(f"SET jit = {jit}; SET statement_timeout = '{limit}s';\n{text}")
        except subprocess.CalledProcessError as error:
            if b"statement timeout" not in error.stdout:
                raise
            return None
        return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/softwood")
    parser.add_argument("--leaves", type=int, nargs="+", default=[1000, 5000, 45000])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--limit", type=int, default=300)
    options = parser.parse_args()
    options.program = options.program.resolve()
    load = os.getloadavg()[0]
    server = Server()
    lines = []
    with tempfile.TemporaryDirectory() as name, (server if server.psql else tempfile.TemporaryDirectory()):
        if server.psql:
            server.fill(options.rows)
        for leaves in options.leaves:
            model = train(options, pathlib.Path(name), leaves)
            text = statement(options, model, "sqlite")
            line = [str(leaves), f"{len(text) / 1e6:.1f} MB", seconds_of(sqlite_seconds(options, text))]
            if server.psql:
                text = statement(options, model, "postgresql")
                line += [seconds_of(server.seconds(text, jit, options.limit)) for jit in ("off", "on")]
            lines.append(line)
    header = ["leaves", "statement", "SQLite"] + (["PostgreSQL", "PostgreSQL, JIT"] if server.psql else [])
    print(f"{options.rows} rows by one statement, at most {options.limit} s. {machine_text(machine(), load)}\n")
    print(table_text(header, lines))


if __name__ == "__main__":
    main()
