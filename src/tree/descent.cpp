#include "tree/descent.h"

#include <numeric>

#include "tree/divided.h"

namespace softwood {

Share* Descent::room_for(size_t more) {
  if (next_shares_.size() < next_count_ + more) next_shares_.resize(2 * (next_count_ + more));
  return next_shares_.data();
}

void Descent::send(const Node& node, bool own_child, std::span<const Share> here) {
  const size_t children = weights_.children();
  if (weights_.has_children()) send_children(node, here);
  for (size_t c = 0; c < (weights_.has_children() ? 0 : children); ++c) {
    const size_t begin = next_count_;
    Share* const out = room_for(here.size());
    const double* const weights = weights_.weights().data() + c;
    for (size_t i = 0; i < here.size(); ++i) {
      const double part = weights[i * children], weight = here[i].weight * part;
      // Written in any case and kept if it counts: no branch to guess wrong. A row that goes to
      // none of these children has no weight here, its weights are NaN or 0.
      out[next_count_] = {here[i].position, weight};
      next_count_ += static_cast<size_t>(part > 0) & static_cast<size_t>(weight > least_);
    }
    add_stop(node.first_child + static_cast<NodeIndex>(c), begin);
  }
  if (!own_child) return;
  const size_t begin = next_count_;
  Share* const out = room_for(weights_.missing().size());
  for (const uint32_t i : weights_.missing()) out[next_count_++] = here[i];
  add_stop(node.first_child + static_cast<NodeIndex>(children), begin);
}

// To the children that get something, in the order of the rows as everywhere.
void Descent::send_children(const Node& node, std::span<const Share> here) {
  const std::span<const int32_t> child_of_row = weights_.child_of_row();
  const std::span<const double> parts = weights_.divided();
  check_divided(weights_.missing().size(), parts, sizeof(Share));
  std::vector<size_t>& ends = child_ends_;
  ends.assign(weights_.children() + 1, 0);
  for (const int32_t child : child_of_row) ++ends[static_cast<size_t>(child + 1)];
  by_child_.resize(child_of_row.size() - ends[0]);
  ends[0] = 0;  // rows that go to none
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (uint32_t i = 0; i < child_of_row.size(); ++i) {
    if (child_of_row[i] >= 0) by_child_[ends[static_cast<size_t>(child_of_row[i])]++] = i;
  }
  // ends[c] is now the end of child c.
  size_t from = 0;
  for (size_t c = 0; c < weights_.children(); ++c) {
    const size_t begin = next_count_;
    const double part = parts.empty() ? 0 : parts[c];
    send_child(std::span(by_child_).subspan(from, ends[c] - from),
               part > 0 ? weights_.missing() : std::span<const uint32_t>(), part, here);
    add_stop(node.first_child + static_cast<NodeIndex>(c), begin);
    from = ends[c];
  }
}

// `whole` and `divided` ascend and have no row in common.
void Descent::send_child(std::span<const uint32_t> whole, std::span<const uint32_t> divided,
                         double part, std::span<const Share> here) {
  Share* const out = room_for(whole.size() + divided.size());
  size_t w = 0, d = 0;
  while (w < whole.size() || d < divided.size()) {
    const bool is_whole = d == divided.size() || (w < whole.size() && whole[w] < divided[d]);
    const Share& share = here[is_whole ? whole[w++] : divided[d++]];
    const double weight = is_whole ? share.weight : share.weight * part;
    out[next_count_] = {share.position, weight};
    next_count_ += static_cast<size_t>(weight > least_);
  }
}

void Descent::add_stop(NodeIndex node, size_t begin) {
  if (next_count_ > begin) next_stops_.push_back({node, begin, next_count_});
}

}  // namespace softwood
