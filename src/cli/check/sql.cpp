// SQL: the rows become a table of a new database, and the statement is run on it.
#include <fmt/format.h>

#include "cli/check/check.h"
#include "render/export/sql/dialect.h"
#include "render/json.h"

namespace softwood {
namespace {

// Every dialect's run() makes the table, with whole numbers as integers and every other missing
// number as NaN where there is such a value, and returns the rows of the answer.
const char* const driver_source = R"py(
import csv, glob, io, json, math, os, shutil, signal, subprocess, sys, tempfile

# So that a server is stopped.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))

with open("task.json", encoding="utf-8") as file:
    task = json.load(file)
with open(task["file"], encoding="utf-8", newline="") as file:
    statement = file.read()
columns = read_rows(task["rows"])
names = task["names"] + [name for name in task["keep"] if name not in task["names"]]
columns += [list(range(len(columns[0])))] * (len(names) - len(columns))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def is_whole(column):
    return all(cell is None or (isinstance(cell, (int, float)) and abs(cell) < 2.0 ** 53
               and cell == math.floor(cell) and math.copysign(1, cell) > 0) for cell in column)


def kinds(real, whole, text):
    result = []
    for i, column in enumerate(columns):
        number = i >= len(task["numeric"]) or task["numeric"][i]
        result.append(text if not number else whole if is_whole(column) else real)
    return result


def with_nan(column, number):
    return [math.nan if number and cell is None and row % 2 else cell
            for row, cell in enumerate(column)]


def definition(types, table=task["table"], more=""):
    parts = ", ".join(quoted(name) + " " + kind for name, kind in zip(names, types))
    return f"CREATE TABLE {table} ({parts}{more})"


def run_sqlite():
    import sqlite3
    database = sqlite3.connect(":memory:")
    if task["schema"] and task["schema"].lower() not in ('"main"', '"temp"'):
        database.execute("ATTACH ':memory:' AS " + task["schema"])
    database.execute(definition(kinds("REAL", "INTEGER", "TEXT")))
    marks = ", ".join("?" * len(names))
    database.executemany(f"INSERT INTO {task['table']} VALUES ({marks})", zip(*columns))
    return database.execute(statement).fetchall()


def run_duckdb():
    import duckdb
    database = duckdb.connect()
    if task["schema"]:
        database.execute("CREATE SCHEMA IF NOT EXISTS " + task["schema"])
    types = kinds("DOUBLE", "BIGINT", "VARCHAR")
    database.execute(definition(types))
    cells = [with_nan(column, kind == "DOUBLE") for column, kind in zip(columns, types)]
    lists = ", ".join(f"unnest(CAST(? AS {kind}[]))" for kind in types)
    database.execute(f"INSERT INTO {task['table']} SELECT {lists}", cells)
    return database.execute(statement).fetchall()


def programs():
    for folder in [None] + sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True):
        found = [shutil.which(name, path=folder) for name in ("initdb", "pg_ctl", "psql")]
        if all(found):
            return found
    sys.exit("the check needs the programs 'initdb', 'pg_ctl' and 'psql' of PostgreSQL")


def run_postgresql():
    initdb, pg_ctl, psql = programs()
    # A server of its own, without a port, that goes with its folder. It refuses to run as root.
    user = "nobody" if os.geteuid() == 0 else None
    folder = tempfile.mkdtemp(prefix="softwood-pg-")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}

    def run(*words, **more):
        return subprocess.run(words, check=True, cwd=folder, user=user, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)

    try:
        if user:
            shutil.chown(folder, user)
        data = os.path.join(folder, "data")
        run(initdb, "-D", data, "-U", "softwood", "-A", "trust", "-E", "UTF8", "--locale=C",
            "--no-sync")
        settings = f"-k {folder} -c listen_addresses= -c fsync=off -c jit=off"
        run(pg_ctl, "-D", data, "-w", "-l", os.path.join(folder, "log"), "-o", settings, "start")
        try:
            return ask_postgresql(run, psql, folder)
        finally:
            run(pg_ctl, "-D", data, "-m", "immediate", "stop")
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.stdout.decode(errors="replace"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def ask_postgresql(run, psql, folder):
    types = kinds("DOUBLE PRECISION", "BIGINT", "TEXT")
    cells = [with_nan(column, kind == "DOUBLE PRECISION") for column, kind in zip(columns, types)]
    script = io.StringIO()
    if task["schema"]:
        script.write(f"CREATE SCHEMA IF NOT EXISTS {task['schema']};\n")
    # Tables have no order, so the statement reads a view that has one.
    table, number, list_of_names = '"the rows"', '"number of the row"', ", ".join(map(quoted, names))
    script.write(definition(types, table, f", {number} SERIAL") + ";\n")
    script.write(f"CREATE VIEW {task['table']} AS SELECT {list_of_names} FROM {table} "
                 f"ORDER BY {number};\n")
    script.write(f"COPY {table} ({list_of_names}) FROM STDIN (FORMAT csv);\n")

    def text(cell, kind):
        if cell is None:
            return ""
        if kind == "TEXT":
            return '"' + cell.replace('"', '""') + '"'
        return str(int(cell)) if kind == "BIGINT" else repr(float(cell))

    for row in zip(*cells):
        script.write(",".join(text(cell, kind) for cell, kind in zip(row, types)) + "\n")
    script.write("\\.\n")
    query = statement.rstrip().rstrip(";")
    script.write(f"COPY (\n{query}\n) TO STDOUT (FORMAT csv);\n")
    answers = run(psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "softwood",
                  "-d", "postgres", input=script.getvalue().encode())
    return list(csv.reader(io.StringIO(answers.stdout.decode(), newline="")))


def run_spark():
    from pyspark.sql import SparkSession, types
    if task["schema"]:
        sys.exit("the check needs a table without a schema")
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.driver.host", "127.0.0.1")
             .config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
    chosen = kinds(types.DoubleType(), types.LongType(), types.StringType())
    cells = [with_nan(column, isinstance(kind, types.DoubleType))
             for column, kind in zip(columns, chosen)]
    def cell_of(cell, kind):
        if cell is None or isinstance(kind, types.StringType):
            return cell
        return int(cell) if isinstance(kind, types.LongType) else float(cell)
    rows = [tuple(cell_of(cell, kind) for cell, kind in zip(row, chosen)) for row in zip(*cells)]
    fields = [types.StructField(name, kind) for name, kind in zip(names, chosen)]
    frame = spark.createDataFrame(rows, types.StructType(fields)).coalesce(1)
    frame.createOrReplaceTempView(task["table"].strip('"'))
    return [list(row) for row in spark.sql(statement.rstrip().rstrip(";")).collect()]


rows = globals()["run_" + task["dialect"]]()
rows = [row[len(task["keep"]):] for row in rows]
if task["classes"]:
    codes = {name: code for code, name in enumerate(task["classes"])}
    write_answers(task["answers"], [codes[row[0]] for row in rows], [row[1:] for row in rows])
else:
    write_answers(task["answers"], None, rows)
)py";

// "schema.table", as the statement has it: the schema's quoted name, or nothing.
std::string schema_of(const std::string& table) {
  const std::string quoted = render::sql_table(table);
  const size_t middle = quoted.find("\".\"");
  return middle == std::string::npos ? "" : quoted.substr(0, middle + 1);
}

}  // namespace

void check_sql(const CheckTask& task) {
  const std::string& dialect = task.options.dialect;
  if (dialect == "postgresql") {
    require_programs({"python3"});
  } else {
    require_python_modules({dialect == "sqlite"  ? "sqlite3"
                            : dialect == "spark" ? "pyspark"
                                                 : dialect});
  }
  Json json;
  json["dialect"] = dialect;
  json["file"] = task.file;
  json["rows"] = task.rows;
  json["answers"] = task.answers;
  json["table"] = render::sql_table(task.options.table);
  json["schema"] = schema_of(task.options.table);
  json["keep"] = task.options.keep;
  json["classes"] = task.tree.target.classes;
  json["names"] = Json::array();
  json["numeric"] = Json::array();
  for (const LoweredInput& input : task.tree.inputs) {
    json["names"].push_back(input.name);
    json["numeric"].push_back(input.kind == InputKind::numeric);
  }
  write_file(task.folder + "/task.json", json.dump());
  write_file(task.folder + "/check.py", std::string(python_rows_source) + driver_source);
  run_or_fail({"python3", "check.py"}, task.folder);
}

}  // namespace softwood
