// What rows that a tree was not grown from say about its nodes, as whole numbers: sums of any parts
// of the rows merge in any order to the same errors of every tree of a cost-complexity sequence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "fit/complexity.h"
#include "stats/whole.h"

namespace softwood::fit {

// What must be known of a tree to sum up rows that end in its nodes.
struct UnseenQuery {
  std::vector<uint32_t> parent;  // of every node; the root is its own
  std::vector<double> answer;    // regression: of every node
  uint64_t classes = 0;          // 0: regression
  // value = whole number * unit
  double weight_unit = 1, loss_unit = 1, square_unit = 1;

  // For rows whose targets lie between these (regression), and which weigh so much in all.
  UnseenQuery(const Tree& tree, double least, double largest, double weight, bool whole_weights);
  UnseenQuery() = default;
};

class UnseenSums {
 public:
  explicit UnseenSums(const UnseenQuery& query);
  UnseenSums() = default;

  // A row that ends at a node: its class (less than 0: one that the tree does not know) or its
  // number.
  void add_class(const UnseenQuery& query, NodeIndex end, int32_t code, double weight);
  void add_number(const UnseenQuery& query, NodeIndex end, double number, double weight);
  void merge(const UnseenSums& other);
  void write(ByteWriter& out) const;
  static UnseenSums read(ByteReader& in);

  // Of every tree of the sequence; alphas descend. The query is the one that was summed up by.
  SequenceErrors errors(const Tree& tree, std::span<const double> alphas,
                        const UnseenQuery& query) const;

 private:
  struct Losses {
    stats::Whole sum = 0, squares = 0;
    bool operator==(const Losses&) const = default;
  };
  // Classes: the weight of each, and of unknown ones, among the rows that end at each node.
  std::vector<int64_t> ended_;
  // Regression: losses of the rows that reach each node, and of those that end there.
  std::vector<Losses> reached_losses_, ended_losses_;
};

}  // namespace softwood::fit
