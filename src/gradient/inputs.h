// The inputs of a network: standardised terms, and the way back to the units of the data.
#pragma once

#include <span>
#include <vector>

#include "base/control.h"
#include "data/sample.h"
#include "gradient/kernel.h"

namespace softwood::gradient {

// What the numbers of a regression network stand for: y = centre + scale * output. Classes: 0
// and 1.
struct TargetScale {
  double centre = 0, scale = 1;
  double low = 0, high = 0;  // of the targets
};
// A data Error where their variance is beyond the numbers.
TargetScale target_scale(const Sample& sample);

// Of numeric inputs: as they are, asinh about the median, or about several points each.
enum class Map : uint8_t { none, asinh, knots };
enum class Products : uint8_t { none, squares, all };  // added to the inputs themselves

// A column is (t - centre) / scale. For most of them t is the value of the term. For squares and
// products it is the product of two columns that are standardised themselves.
struct InputColumn {
  Term term;
  double centre = 0, scale = 1;
  uint32_t first = 0, second = 0;
  bool is_product = false;
};

// Numbers, mapped, and levels but the most frequent one of each feature, as far as they vary.
std::vector<Term> input_terms(const Sample& sample, std::span<const double> typical, Map map,
                              const Control& control = {});

// Passing over many rows it asks whether to end.
class Inputs {
 public:
  // The terms of the inputs, and products. Missing cells have the typical values.
  Inputs(const Sample& sample, std::vector<double> typical, Map map, Products products,
         const Control& control = {});
  // These terms, with the centres and scales that they have in the rows. A term that does not vary
  // is kept with the scale 1.
  Inputs(const Sample& sample, std::vector<double> typical, const std::vector<Term>& terms,
         const Control& control = {});

  size_t terms() const { return columns_.size(); }
  const InputColumn& column(size_t t) const { return columns_[t]; }
  const std::vector<double>& typical() const { return typical_; }
  // Of each term: one, or the two of a product.
  std::vector<std::vector<uint32_t>> features() const;

  // All given samples, one after the other, with weights of mean 1 and targets in units
  // of the scale.
  template <class Real>
  Rows<Real> rows(std::span<const Sample> samples, const TargetScale& scale,
                  const Control& control = {}) const;

  // constant + sum of weights * columns, as a constant and terms in the units of the data. Terms
  // without a coefficient are left out.
  struct Sum {
    double constant = 0;
    std::vector<Term> terms;
  };
  Sum in_data_units(double constant, std::span<const double> weights) const;

 private:
  void set_moments(const Sample& sample, const Control& control);
  void add_products(const Sample& sample, Products products, const Control& control);
  void row_values(const Table& table, RowIndex row, std::span<double> values) const;

  std::vector<InputColumn> columns_;
  std::vector<double> typical_;
};

}  // namespace softwood::gradient
