// Files of version 1 answer as the program that wrote them: tests/golden/version-1 has models, rows
// with missing cells and a level that no model knows, and the answers of that program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "softwood/softwood.h"
#include "support/data.h"
#include "support/names.h"

namespace softwood {
namespace {

struct Case {
  std::string name;
  bool hard = true;  // answers to the bit; else to 1e-12, as exponentials may be computed otherwise
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::string file(const std::string& name) {
  const auto root = std::filesystem::path(test::records_folder) / "../../..";
  return (root / "tests/golden/version-1" / name).string();
}

class EachVersion1Model : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Models, EachVersion1Model,
    testing::Values(Case{"cart"}, Case{"cart-costs"}, Case{"cart-surrogates"}, Case{"c45"},
                    Case{"id3"}, Case{"ctree"}, Case{"oblique"}, Case{"quadratic"}, Case{"ldt"},
                    Case{"ordinal"}, Case{"evolve"}, Case{"regression"}, Case{"c45-soft", false},
                    Case{"cart-annealed", false}, Case{"soft", false}, Case{"soft-refined", false},
                    Case{"regression-soft", false}, Case{"regression-linear-leaves", false},
                    Case{"logistic-leaves", false}, Case{"bayes-leaves", false}),
    test::ByText());

TEST_P(EachVersion1Model, AnswersAsBefore) {
  const TreeModel model = TreeModel::load(file(GetParam().name + ".json"));
  EXPECT_NE(model.text().find("\"version\": 2"), std::string::npos);
  const DataSet rows = DataSet::read_for(model, file("rows.csv"));
  const DataColumns expected = DataColumns::read(file(GetParam().name + ".csv"));
  ASSERT_EQ(rows.rows(), expected.rows());
  const std::vector<double> answers = model.predict(rows);
  const size_t width = model.answer_width();
  const size_t first = model.is_classifier() ? 1 : 0;  // after the class
  for (size_t k = 0; k < width; ++k) {
    const ColumnView& view = expected.columns()[first + k];
    EXPECT_EQ(view.name, model.is_classifier() ? "proba_" + model.classes()[k] : "prediction");
    const auto* const wanted = static_cast<const double*>(view.chunks[0].values);
    for (size_t row = 0; row < rows.rows(); ++row) {
      const double answer = answers[row * width + k];
      if (GetParam().hard) {
        EXPECT_EQ(answer, wanted[row]) << "row " << row;
      } else {
        EXPECT_NEAR(answer, wanted[row], 1e-12 * std::max(1.0, std::abs(wanted[row])))
            << "row " << row;
      }
    }
  }
  if (!model.is_classifier()) return;
  const ColumnView& decided = expected.columns()[0];
  const auto* const codes = static_cast<const int32_t*>(decided.chunks[0].values);
  const std::vector<std::string> classes = model.predict_class(rows);
  for (size_t row = 0; row < rows.rows(); ++row) {
    EXPECT_EQ(classes[row], (*decided.chunks[0].levels)[static_cast<size_t>(codes[row])]);
  }
}

// Classes stood in the order of the rows, and the second one was what thresholds were about.
TEST(Version1, TheSecondClassIsPositive) {
  const TreeModel model = TreeModel::load(file("cart.json"));
  EXPECT_EQ(model.classes(), (std::vector<std::string>{"yes", "no"}));
  EXPECT_EQ(model.positive(), "no");
  EXPECT_TRUE(model.missing_marks().empty());
}

// They were made otherwise and say nothing about rows of today.
TEST(Version1, FingerprintsAreNotKept) {
  const TreeModel model = TreeModel::load(file("cart.json"));
  EXPECT_EQ(model.tree().origin.fingerprint, "");
  EXPECT_EQ(TreeModel::from_text(model.text()).text(), model.text());
  EXPECT_EQ(model.show(TextView::summary).find("fingerprint"), std::string::npos);
}

}  // namespace
}  // namespace softwood
