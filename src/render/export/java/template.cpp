#include "render/export/templates.h"

namespace softwood::render {

const std::string_view java_template = R"java(@{heading}
// One class, for Java 8 and later. Save it as @{name}.java, and put a package line first if it
// belongs to a package.
//
//     Map<String, Object> row = new HashMap<>();
@{example}
@if classes
//     String answer = @{name}.predict(row);               // one of @{name}.CLASSES
//     double[] probabilities = @{name}.predictProba(row);  // in the order of @{name}.CLASSES
@else
//     double answer = @{name}.predict(row);
@end
//
// A row is a map of the names in INPUTS to cells; other names in it are ignored. Cells are numbers
// (Boolean counts as 0 and 1) or, for inputs with LEVELS, texts. null and NaN are missing values,
// and so are texts that are not among the levels. A name that is not there and a cell of another
// type are an IllegalArgumentException.
// An array of cells has a number per input, in the order of INPUTS: NaN is missing, a text is its
// index among the levels, as level(input, text) gives it.
// Answers have the same bits as those of the model that this was exported from; before Java 17 they
// need strictfp for that.
import java.util.ArrayList;
@if divides
import java.util.Arrays;
@end
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

@SuppressWarnings("strictfp")
public final strictfp class @{name} {
    /** Names of the inputs. */
    public static final List<String> INPUTS = texts(
@{inputs});
    /** Levels by input; null: it takes numbers. */
    public static final List<List<String>> LEVELS = levels();
@if classes
    public static final List<String> CLASSES = texts(
@{classes});
@end

    // The tree as tables. Nodes are numbered breadth first, and the children of a node follow each
    // other; a leaf has no condition (-1). Java limits the size of methods and constants, so that
    // numbers are in texts.
@{tables}
@if costs
    // Of the answer in the column for the class in the row.
@{costs_table}
@end
    private static final List<Map<String, Integer>> LEVEL_CODES = levelCodes();

    private @{name}() {
    }

    private static int[] integers(int count, String... pieces) {
        int[] values = new int[count];
        int at = 0;
        for (String piece : pieces) {
            for (int begin = 0; begin < piece.length(); at++) {
                int end = piece.indexOf(',', begin);
                values[at] = Integer.parseInt(piece.substring(begin, end));
                begin = end + 1;
            }
        }
        return values;
    }

    private static double[] numbers(int count, String... pieces) {
        double[] values = new double[count];
        int at = 0;
        for (String piece : pieces) {
            for (int begin = 0; begin < piece.length(); at++) {
                int end = piece.indexOf(',', begin);
                values[at] = Double.parseDouble(piece.substring(begin, end));
                begin = end + 1;
            }
        }
        return values;
    }

    // Each text ends with a line break; those within it are written "\n", and backslashes "\\".
    private static List<String> texts(String... pieces) {
        List<String> values = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (String piece : pieces) {
            for (int i = 0; i < piece.length(); i++) {
                char c = piece.charAt(i);
                if (c == '\n') {
                    values.add(text.toString());
                    text.setLength(0);
                } else if (c == '\\') {
                    i++;
                    text.append(piece.charAt(i) == 'n' ? '\n' : '\\');
                } else {
                    text.append(c);
                }
            }
        }
        return Collections.unmodifiableList(values);
    }

    private static List<List<String>> levels() {
        int[] counts = integers(@{level_counts});
        List<String> all = texts(
@{levels});
        List<List<String>> levels = new ArrayList<>();
        int begin = 0;
        for (int count : counts) {
            levels.add(count < 0 ? null : all.subList(begin, begin + count));
            begin += Math.max(count, 0);
        }
        return Collections.unmodifiableList(levels);
    }

    private static List<Map<String, Integer>> levelCodes() {
        List<Map<String, Integer>> all = new ArrayList<>();
        for (List<String> levels : LEVELS) {
            Map<String, Integer> codes = new HashMap<>();
            for (int code = 0; levels != null && code < levels.size(); code++) {
                codes.put(levels.get(code), code);
            }
            all.add(codes);
        }
        return all;
    }

    /** What stands for a text in arrays: its index among the levels of an input, or NaN. */
    public static double level(int input, String text) {
        Integer code = LEVEL_CODES.get(input).get(text);
        return code == null ? Double.NaN : code;
    }

    private static double cell(int input, Object value) {
        if (value == null) {
            return Double.NaN;
        }
        boolean takesText = LEVELS.get(input) != null;
        if (takesText && value instanceof CharSequence) {
            return level(input, value.toString());
        }
        if (value instanceof Number) {
            double number = ((Number) value).doubleValue();
            if (!takesText || number != number) {
                return number;
            }
        }
        if (value instanceof Boolean && !takesText) {
            return (Boolean) value ? 1 : 0;
        }
        throw new IllegalArgumentException("column '" + INPUTS.get(input) + "' takes "
                + (takesText ? "texts" : "numbers") + ", not '" + value + "'");
    }

    private static double[] cells(Map<String, ?> row) {
        double[] cells = new double[INPUTS.size()];
        for (int i = 0; i < cells.length; i++) {
            Object value = row.get(INPUTS.get(i));
            if (value == null && !row.containsKey(INPUTS.get(i))) {
                throw new IllegalArgumentException("the row has no '" + INPUTS.get(i) + "'");
            }
            cells[i] = cell(i, value);
        }
        return cells;
    }

    // Numbers of levels that there are not are missing.
    private static double[] known(double[] cells) {
        if (cells.length != INPUTS.size()) {
            throw new IllegalArgumentException("a row has " + INPUTS.size() + " cells, not "
                    + cells.length);
        }
@if texts
        double[] known = cells.clone();
        for (int i = 0; i < cells.length; i++) {
            List<String> levels = LEVELS.get(i);
            boolean isCode = cells[i] >= 0 && levels != null && cells[i] < levels.size()
                    && cells[i] == (int) cells[i];
            if (levels != null && !isCode) {
                known[i] = Double.NaN;
            }
        }
        return known;
@else
        return cells;
@end
    }

@{math}
@if terms
    private static double term(int term, double[] cells) {
        double x = cells[TERM_INPUT[term]];
@if squares products asinh level_terms
        switch (TERM_CODE[term]) {
@if squares
            case 1:
                return x * x;
@end
@if products
            case 2:
                return x * cells[TERM_OTHER[term]];
@end
@if asinh
            case 3:
                return asinh((x - TERM_CENTRE[term]) / TERM_SCALE[term]);
@end
@if level_terms
            case 4:
                return x != x ? x : x == TERM_OTHER[term] ? 1 : 0;
@end
            default:
                return x;
        }
@else
        return x;
@end
    }

@end
@if ramps
    private static double ramp(double under, double below, double above) {
        if (under > 0) {
            return under >= below ? 1 : 0.5 + 0.5 * under / below;
        }
        if (under < 0) {
            return -under >= above ? 0 : 0.5 + 0.5 * under / above;
        }
        return 0.5;
    }

@end
    // The share of a row that goes to child 0, the rest going to child 1; 1 - c where all of it
    // goes to child c; NaN where the condition can't be computed.
    private static double conditionWeight(int condition, double[] cells) {
@if codes
        int code = CONDITION_CODE[condition];
@end
@if levels
        if (code == 1) {
            double level = cells[CONDITION_INPUT[condition]];
            int child =
                    level != level ? -1 : LEVEL_CHILD[CONDITION_FIRST[condition] + (int) level];
            return child >= 0 ? 1 - child : Double.NaN;
        }
@end
@if sums
        if (code >= 2) {
            int first = CONDITION_FIRST[condition];
            double score = 0;
            for (int term = first; term < first + CONDITION_COUNT[condition]; term++) {
                score += TERM_COEFFICIENT[term] * term(term, cells);
            }
            double cut = CONDITION_CUT[condition];
            if (score != score) {
                return score;
            }
@if ramps
            if (code == 3) {
                return ramp(cut - score, CONDITION_BELOW[condition], CONDITION_ABOVE[condition]);
            }
@end
@if logistic
            if (code == 4) {
                return 1 / (1 + exp(score - cut));
            }
@end
            return score <= cut ? 1 : 0;
        }
@end
@if thresholds
        double x = cells[CONDITION_INPUT[condition]];
        return x != x ? x : x <= CONDITION_CUT[condition] ? 1 : 0;
@else
        return Double.NaN;
@end
    }

    // By the node's condition, its surrogates and typical values; NaN: by its rule.
    private static double nodeWeight(int node, double[] cells, double[] filled) {
        int condition = NODE_CONDITION[node];
        double weight = conditionWeight(condition, cells);
@if surrogates
        int last = condition + NODE_SURROGATES[node];
        for (int next = condition + 1; next <= last && weight != weight; next++) {
            weight = conditionWeight(next, cells);
        }
@end
@if impute
        if (weight != weight && NODE_MISSING[node] == 4) {
            weight = conditionWeight(condition, filled);
        }
@end
        return weight;
    }

@if formulas
    // null where one is not finite.
    private static double[] outputs(int formula, double[] filled) {
        double[] terms = new double[FORMULA_TERMS[formula]];
        for (int i = 0; i < terms.length; i++) {
            terms[i] = term(FORMULA_FIRST_TERM[formula] + i, filled);
        }
        double[] outputs = new double[FORMULA_OUTPUTS[formula]];
        for (int i = 0; i < outputs.length; i++) {
            int place = OUTPUT_FIRST[FORMULA_FIRST_OUTPUT[formula] + i];
            double sum = COEFFICIENTS[place];
            for (double term : terms) {
                place++;
                sum += COEFFICIENTS[place] * term;
            }
            if (Double.isNaN(sum) || Double.isInfinite(sum)) {
                return null;
            }
            outputs[i] = sum;
        }
        return outputs;
    }

@end
@if clamp
    private static double clamp(double value, double low, double high) {
        return value < low ? low : high < value ? high : value;
    }

@end
    private static void addAnswer(double[] mixed, int node, double share, double[] filled) {
@if formulas
        int formula = NODE_FORMULA[node];
        double[] outputs = formula >= 0 ? outputs(formula, filled) : null;
        if (outputs != null) {
@if classes
@if scores
@else
            softmax(outputs);
@end
            for (int i = 0; i < outputs.length; i++) {
                mixed[OUTPUT_CLASS[FORMULA_FIRST_OUTPUT[formula] + i]] += share * outputs[i];
            }
@else
            mixed[0] += share * clamp(outputs[0], FORMULA_LOW[formula], FORMULA_HIGH[formula]);
@end
            return;
        }
@end
        int first = NODE_ANSWER[node] * @{outputs};
        for (int k = 0; k < @{outputs}; k++) {
            mixed[k] += share * ANSWERS[first + k];
        }
    }

@if divides
    // Nodes in ascending order, with the share of the row that is there.
    private static final class Reached {
        private int count = 0;
        private int[] nodes = new int[16];
        private double[] shares = new double[16];

        private void add(int node, double share) {
            if (share > @{smallest_share}) {
                if (count == nodes.length) {
                    nodes = Arrays.copyOf(nodes, 2 * count);
                    shares = Arrays.copyOf(shares, 2 * count);
                }
                nodes[count] = node;
                shares[count] = share;
                count++;
            }
        }
    }

@end
@if marks
    // Cells that stand for missing values are missing.
    private static double[] unmarked(double[] cells) {
        double[] known = cells.clone();
        for (int i = 0; i < cells.length; i++) {
            for (int m = MARK_FIRST[i]; m < MARK_FIRST[i + 1]; m++) {
                known[i] = cells[i] == MARKS[m] ? Double.NaN : known[i];
            }
        }
        return known;
    }

    private static double[] answer(double[] given) {
        double[] cells = unmarked(given);
@else
    private static double[] answer(double[] cells) {
@end
        double[] mixed = new double[@{outputs}];
@if filled
        double[] filled = cells.clone();
        for (int i = 0; i < filled.length; i++) {
            filled[i] = filled[i] != filled[i] ? TYPICAL[i] : filled[i];
        }
@else
        double[] filled = cells;
@end
@if divides
        Reached reached = new Reached();
        reached.add(0, 1);
        for (int at = 0; at < reached.count; at++) {
            int node = reached.nodes[at];
            double share = reached.shares[at];
            int child = NODE_CHILD[node];
            if (child < 0) {
                addAnswer(mixed, node, share, filled);
                continue;
            }
            double weight = nodeWeight(node, cells, filled);
            if (weight > 0 && weight < 1) {
                reached.add(child, share * weight);
                reached.add(child + 1, share * (1 - weight));
            } else if (weight == weight) {
                reached.add(child + 1 - (int) weight, share);
@if shares
            } else if (NODE_MISSING[node] == 1) {
                for (int c = 0; c < NODE_CHILDREN[node]; c++) {
                    reached.add(child + c, share * SHARES[NODE_MISSING_CHILD[node] + c]);
                }
@end
@if stay
            } else if (NODE_MISSING[node] == 2) {
                addAnswer(mixed, node, share, filled);
@end
            } else {
                reached.add(child + NODE_MISSING_CHILD[node], share);
            }
        }
@else
        int node = 0;
        while (NODE_CHILD[node] >= 0) {
            double weight = nodeWeight(node, cells, filled);
            if (weight == weight) {
                node = NODE_CHILD[node] + 1 - (int) weight;
@if stay
            } else if (NODE_MISSING[node] == 2) {
                break;
@end
            } else {
                node = NODE_CHILD[node] + NODE_MISSING_CHILD[node];
            }
        }
        addAnswer(mixed, node, 1, filled);
@end
@if scores
        softmax(mixed);
@end
@if limits
        mixed[0] = clamp(mixed[0], @{mixing_low}, @{mixing_high});
@end
        return mixed;
    }

@if classes
    // The index of the class.
    private static int decide(double[] probabilities) {
@if threshold
        return probabilities[@{threshold_class}] >= @{threshold} ? @{threshold_class} : @{other_class};
@else
        int best = 0;
@if costs
        double least = 0;
        for (int predicted = 0; predicted < @{outputs}; predicted++) {
            double cost = 0;
            for (int actual = 0; actual < @{outputs}; actual++) {
                cost += probabilities[actual] * COSTS[actual * @{outputs} + predicted];
            }
            if (predicted == 0 || cost < least * @{cost_factor}) {
                best = predicted;
                least = cost;
            }
        }
@else
        for (int k = 1; k < @{outputs}; k++) {
            if (probabilities[k] > probabilities[best]) {
                best = k;
            }
        }
@end
        return best;
@end
    }

    /** The probabilities of the classes, in the order of CLASSES. */
    public static double[] predictProba(Map<String, ?> row) {
        return answer(cells(row));
    }

    public static double[] predictProba(double[] cells) {
        return answer(known(cells));
    }

    /** The class. */
    public static String predict(Map<String, ?> row) {
        return CLASSES.get(decide(answer(cells(row))));
    }

    public static String predict(double[] cells) {
        return CLASSES.get(decide(answer(known(cells))));
    }
@else
    /** The number. */
    public static double predict(Map<String, ?> row) {
        return answer(cells(row))[0];
    }

    public static double predict(double[] cells) {
        return answer(known(cells))[0];
    }
@end
}
)java";

}  // namespace softwood::render
