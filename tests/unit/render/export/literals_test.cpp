#include "render/export/literals.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace softwood::render {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(StringLiteral, EscapesWhatWouldEndItOrBeReadOtherwise) {
  for (const Language language : {Language::python, Language::javascript, Language::java}) {
    EXPECT_EQ(string_literal(language, "a \"b\" \\ \n\r\t"), R"("a \"b\" \\ \n\r\t")");
    EXPECT_EQ(string_literal(language, "\\u000a"), R"("\\u000a")");
    EXPECT_EQ(string_literal(language, ""), R"("")");
  }
}

TEST(StringLiteral, IsAscii) {
  EXPECT_EQ(string_literal(Language::python, "ü€🌲"), R"("\u00fc\u20ac\U0001f332")");
  EXPECT_EQ(string_literal(Language::javascript, "ü€🌲"), R"("\u00fc\u20ac\ud83c\udf32")");
  EXPECT_EQ(string_literal(Language::java, "ü€🌲"), R"("\u00fc\u20ac\ud83c\udf32")");
  EXPECT_EQ(string_literal(Language::python, "a\xff"), R"("a\ufffd")") << "not UTF-8";
  EXPECT_EQ(string_literal(Language::python, "\x7f"), R"("\u007f")");
}

TEST(StringLiteral, OfJavaHasNoEscapeThatEndsTheLine) {
  EXPECT_EQ(string_literal(Language::java, std::string_view("\0\v1\x1f", 4)), R"("\000\0131\037")");
  EXPECT_EQ(string_literal(Language::javascript, std::string_view("\0\v", 2)), R"("\u0000\u000b")");
}

TEST(StringLiteral, OfJavaScriptCannotEndAnElementOfAPage) {
  EXPECT_EQ(string_literal(Language::javascript, "</script><!--"), R"("\u003c/script>\u003c!--")");
  EXPECT_EQ(string_literal(Language::python, "</script>"), R"("</script>")");
}

TEST(NumberLiteral, HasAllDigitsAndIsNoWholeNumber) {
  EXPECT_EQ(number_literal(Language::python, 150), "150.0");
  EXPECT_EQ(number_literal(Language::java, -0.0), "-0.0");
  EXPECT_EQ(number_literal(Language::javascript, -0.0), "-0");
  for (const Language language : {Language::python, Language::javascript, Language::java}) {
    EXPECT_EQ(number_literal(language, 0.1), "0.1");
    EXPECT_EQ(number_literal(language, 5e-324), "5e-324");
    EXPECT_EQ(number_literal(language, 1.7976931348623157e308), "1.7976931348623157e+308");
  }
}

TEST(NumberLiteral, NamesWhatIsNotFinite) {
  EXPECT_EQ(number_literal(Language::python, -infinity), "-_INFINITY");
  EXPECT_EQ(number_literal(Language::javascript, infinity), "Infinity");
  EXPECT_EQ(number_literal(Language::java, -infinity), "Double.NEGATIVE_INFINITY");
  EXPECT_EQ(number_literal(Language::java, std::numeric_limits<double>::quiet_NaN()), "Double.NaN");
}

std::string comment_of(Language language, const std::string& line) {
  return comment(language, std::vector<std::string>{line});
}

TEST(Comment, NoNameEndsIt) {
  EXPECT_EQ(comment_of(Language::java, "\\u000a int x;"), "// \\\\u000a int x;\n");
  EXPECT_EQ(comment_of(Language::java, "\\\\u000a"), "// \\\\\\\\u000a\n");
  EXPECT_EQ(comment_of(Language::javascript, "a\u2028b"), "// a\\u2028b\n");
  EXPECT_EQ(comment_of(Language::javascript, "</script> <!--"), "// \\u003c/script> \\u003c!--\n");
  EXPECT_EQ(comment_of(Language::python, "a\u202eb"), "# a\\u202eb\n") << "turns the line around";
  EXPECT_EQ(comment_of(Language::python, "a\nb"), "# a b\n");
}

TEST(Comment, OfJavaIsAscii) {
  EXPECT_EQ(comment_of(Language::java, "Größe"), "// Gr\\u00f6\\u00dfe\n");
  EXPECT_EQ(comment_of(Language::python, "Größe"), "# Größe\n");
}

TEST(Comment, IsBrokenAtSpaces) {
  std::string line = "word";
  for (int i = 0; i < 30; ++i) line += " word";
  for (const Language language : {Language::python, Language::java}) {
    const std::string text = comment_of(language, line);
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1);
    EXPECT_LE(text.find('\n'), 100U);
  }
}

TEST(LiteralList, StandsInOneLineWhereThatHasRoom) {
  const std::vector<std::string> one = {"1"}, two = {"1", "2"}, many(60, "10");
  EXPECT_EQ(literal_list(Language::python, "", "X = (", one, ")"), "X = (1,)\n");
  EXPECT_EQ(literal_list(Language::javascript, "  ", "x: [", two, "],"), "  x: [1, 2],\n");
  const std::string lines = literal_list(Language::javascript, "", "x = [", many, "];");
  EXPECT_TRUE(lines.starts_with("x = [\n  10, 10,")) << lines;
  EXPECT_TRUE(lines.ends_with(" 10,\n];\n")) << lines;
}

TEST(Identifier, IsANameThatTheLanguageTakes) {
  EXPECT_EQ(identifier(Language::java, "tree"), "Tree");
  EXPECT_EQ(identifier(Language::java, "credit_risk"), "Credit_risk");
  EXPECT_EQ(identifier(Language::java, "string"), "StringTree") << "java.lang.String";
  EXPECT_EQ(identifier(Language::java, "2 trees"), "Tree2_trees");
  EXPECT_EQ(identifier(Language::java, "_"), "Tree_") << "a word of Java 9";
  EXPECT_EQ(identifier(Language::javascript, "tree"), "tree");
  EXPECT_EQ(identifier(Language::javascript, "class"), "class_tree");
  EXPECT_EQ(identifier(Language::javascript, "a-b"), "a_b");
}

TEST(TableName, IsWrittenAsTheLanguageWritesConstants) {
  EXPECT_EQ(table_name(Language::python, "node_child"), "_NODE_CHILD");
  EXPECT_EQ(table_name(Language::java, "node_child"), "NODE_CHILD");
  EXPECT_EQ(table_name(Language::javascript, "node_missing_child"), "nodeMissingChild");
}

}  // namespace
}  // namespace softwood::render
