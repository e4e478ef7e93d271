// What errors of the library say, which programs print as it is.
#include <gtest/gtest.h>

#include <string>

#include "softwood/softwood.h"

namespace softwood {
namespace {

void expect_printable(const Error& error) {
  EXPECT_EQ(error.text().find_first_of("\x1b\x07\r"), std::string::npos) << error.text();
  EXPECT_EQ(error.text().find("\u202e"), std::string::npos) << error.text();
  EXPECT_LT(error.text().size(), 2000U);
}

TEST(Messages, NamesOfFilesSendNothingToATerminal) {
  const std::string hostile = "\\u001b[2J\\u202e\\u0007";
  const std::string key = "\"" + hostile + std::string(5000, 'x') + "\": 1";
  for (const std::string& model :
       {"{" + key + ", " + key + "}", "{" + key + "}",
        R"({"format": "softwood-tree", "version": 2, "schema": {)" + key + "}}"}) {
    try {
      TreeModel::from_text(model);
      ADD_FAILURE() << "not a model";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      expect_printable(error);
    }
  }
}

TEST(Messages, NamesOfColumnsSendNothingToATerminal) {
  DataColumns columns;
  const std::string name = "\x1b]0;title\x07\u202e";
  columns.number(name, {1, 2});
  columns.number(name, {1, 2});
  try {
    DataSet::from(columns);
    ADD_FAILURE() << "two columns have a name";
  } catch (const Error& error) {
    expect_printable(error);
    EXPECT_NE(error.text().find("title"), std::string::npos);
  }
  try {
    TreeModel::load("no/\x1b[2Jfile");
    ADD_FAILURE() << "there is no such file";
  } catch (const Error& error) {
    expect_printable(error);
  }
}

}  // namespace
}  // namespace softwood
