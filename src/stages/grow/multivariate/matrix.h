// The rows of a node as a dense matrix of standardised columns, and the way back to a gate in the
// units of the data.
#pragma once

#include <Eigen/Core>

#include <vector>

#include "stages/grow/multivariate/node.h"
#include "tree/gate.h"

namespace softwood::grow {

// No gate names more terms than this; the columns that tell most about the target are kept.
constexpr size_t most_terms = 300;

// A column of the matrix is (t - centre) / scale. For a linear column t is the value of the term.
// For a square or product it is the product of two linear columns, which are centred already, so
// that it tells something that they do not.
struct MatrixColumn {
  Term term;  // its coefficient is not used
  double centre = 0, scale = 1;
  uint32_t first = 0, second = 0;  // square, product: the linear columns that are multiplied
};

class NodeMatrix {
 public:
  // A column for each numeric or ordinal input that is not constant in the node, and one for each
  // level of a nominal input that occurs there, but the heaviest. Of more than `most` the
  // strongest are kept.
  explicit NodeMatrix(const NodeSample& node, size_t most = most_terms);
  // Adds squares and products of the numeric columns, the strongest first, as long as a gate of all
  // columns names at most `most` terms.
  void add_products(const NodeSample& node, size_t most);

  size_t rows() const { return static_cast<size_t>(x_.rows()); }
  size_t columns() const { return columns_.size(); }
  const Eigen::MatrixXd& x() const { return x_; }
  const MatrixColumn& column(size_t j) const { return columns_[j]; }
  const Eigen::VectorXd& weight() const { return weight_; }
  double total_weight() const { return total_weight_; }

  // The score x * direction but for a constant and a positive factor, as terms in the units of the
  // data; the cut is left to be found. A direction along one column gives that column's term with
  // coefficient 1. No terms when a coefficient can't be written as a number.
  ScoreGate gate(const Eigen::VectorXd& direction) const;

 private:
  Eigen::MatrixXd x_;
  std::vector<MatrixColumn> columns_;
  size_t linear_ = 0;  // the first columns, of which products are made
  Eigen::VectorXd weight_;
  double total_weight_ = 0;
};

}  // namespace softwood::grow
