#include <fmt/format.h>

#include "cli/check/check.h"
#include "render/export/literals.h"

namespace softwood {
namespace {

// Rows by name and as arrays, which must answer the same; {0} is the exported class.
const char* const driver = R"(
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public final class SoftwoodCheckDriver {{
    private static Object cell(String line) {{
        if (line.equals("m")) {{
            return null;
        }}
        if (line.charAt(0) == 'n') {{
            return Double.valueOf(line.substring(1));
        }}
        byte[] bytes = new byte[line.length() / 2];
        for (int i = 0; i < bytes.length; i++) {{
            bytes[i] = (byte) Integer.parseInt(line.substring(1 + 2 * i, 3 + 2 * i), 16);
        }}
        return new String(bytes, StandardCharsets.UTF_8);
    }}

    public static void main(String[] files) throws Exception {{
        BufferedReader reader = Files.newBufferedReader(Paths.get(files[0]));
        PrintWriter answers = new PrintWriter(files[1], "US-ASCII");
        int rows = Integer.parseInt(reader.readLine().split(" ")[0]);
        for (int r = 0; r < rows; r++) {{
            Map<String, Object> row = new HashMap<>();
            double[] cells = new double[{0}.INPUTS.size()];
            for (int i = 0; i < cells.length; i++) {{
                Object cell = cell(reader.readLine());
                row.put({0}.INPUTS.get(i), cell);
                cells[i] = cell == null ? Double.NaN
                        : cell instanceof String ? {0}.level(i, (String) cell) : (Double) cell;
            }}
            double[] numbers = {1};
            double[] others = {2};
            if (!Arrays.equals(numbers, others)
                    || !((Object) {0}.predict(row)).equals({0}.predict(cells))) {{
                throw new IllegalStateException("row " + (r + 1) + ": arrays are answered "
                        + Arrays.toString(others) + ", maps " + Arrays.toString(numbers));
            }}
            StringBuilder line = new StringBuilder({3});
            for (double number : numbers) {{
                line.append(line.length() > 0 ? " " : "").append(number);
            }}
            answers.print(line.append('\n'));
        }}
        answers.close();
    }}
}}
)";

}  // namespace

void check_java(const CheckTask& task) {
  require_programs({"javac", "java"});
  const std::string name = render::identifier(render::Language::java, task.options.name);
  const std::string file = task.folder + "/" + name + ".java";
  write_file(file, read_file(task.file));
  const bool classes = task.tree.is_classifier();
  const auto answers = [&](const char* cells) {
    return classes ? fmt::format("{}.predictProba({})", name, cells)
                   : fmt::format("new double[] {{{}.predict({})}}", name, cells);
  };
  const std::string start =
      classes ? fmt::format("\"\" + {0}.CLASSES.indexOf({0}.predict(row))", name) : "";
  write_file(task.folder + "/SoftwoodCheckDriver.java",
             fmt::format(fmt::runtime(driver), name, answers("row"), answers("cells"), start));
  const std::string target = task.folder + "/classes";
  run_or_fail({"javac", "-J-XX:TieredStopAtLevel=1", "-nowarn", "-d", target, file,
               task.folder + "/SoftwoodCheckDriver.java"},
              task.folder);
  run_or_fail({"java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", target,
               "SoftwoodCheckDriver", task.rows, task.answers},
              task.folder);
}

}  // namespace softwood
