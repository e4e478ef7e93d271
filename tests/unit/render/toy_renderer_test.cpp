#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lower.h"
#include "support/sample_models.h"
#include "support/toy_renderer.h"

namespace softwood {
namespace {

TEST(ToyRenderer, NeedsNothingButTheLoweredForm) {
  const render::Renderer toy = test::renderers_and_a_toy().back();
  EXPECT_EQ(toy.render(lower(testing::iris_model()), {}), R"(if petal_length <= 2.45:
  return 1
if petal_length > 2.45:
  if petal_width <= 1.75:
    return 0
  if petal_width > 1.75:
    return 0
)");
}

TEST(ToyRenderer, RefusesByNameWhatItCannotExpress) {
  Model model = testing::iris_model();
  ScoreGate soft = threshold_gate(0, 1);
  soft.link.form = LinkForm::logistic;
  model.tree.node(0).gate() = soft;
  try {
    test::toy_text(lower(model), {});
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "toy cannot express soft splits");
  }
}

}  // namespace
}  // namespace softwood
