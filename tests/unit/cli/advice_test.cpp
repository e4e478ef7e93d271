#include "cli/advice.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood {
namespace {

TEST(Advice, ArgumentsAreQuotedForAShell) {
  EXPECT_EQ(shell_word("N/A,-999"), "N/A,-999");
  EXPECT_EQ(shell_word("not known"), "'not known'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Advice, NamesTheTextsThatMayBeMissing) {
  EXPECT_EQ(advice_text({AdviceCode::declare_nominal, "", {"N/A", "x"}}),
            "--na N/A takes such cells as missing; --nominal x says that it is right");
  EXPECT_EQ(advice_name(AdviceCode::declare_nominal), "declare_nominal");
}

TEST(Advice, IsWordedByFlagsWhereItHasACode) {
  const Error error(ErrorKind::usage, "setting 'x=1' names no stage", {},
                    {AdviceCode::name_stage_setting, "write stage.x=1", {"a.b=1", "a.x=1"}});
  EXPECT_EQ(error.hint(), "write stage.x=1");
  EXPECT_EQ(error.text(), "setting 'x=1' names no stage\n  write stage.x=1");
  EXPECT_EQ(advice_text(error.advice()),
            "write stage.key=value, for example --set a.b=1 --set a.x=1");
}

TEST(Advice, StaysAsItIsWithoutACode) {
  EXPECT_EQ(advice_text("leave one of them out"), "leave one of them out");
  EXPECT_EQ(advice_text({}), "");
}

TEST(Advice, StandsInParenthesesBehindANote) {
  const Note note("column 'id' counts the rows", {AdviceCode::leave_column_out, "leave it out"});
  EXPECT_EQ(note.text(), "column 'id' counts the rows (leave it out)");
  EXPECT_EQ(note.text_with(advice_text(note.advice)),
            "column 'id' counts the rows (--ignore leaves it out)");
  EXPECT_EQ(Note("12 rows").text(), "12 rows");
}

}  // namespace
}  // namespace softwood
