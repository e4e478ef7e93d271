#include "tree/descent.h"

namespace softwood {

Share* Descent::room_for(size_t more) {
  if (next_shares_.size() < next_count_ + more) next_shares_.resize(2 * (next_count_ + more));
  return next_shares_.data();
}

void Descent::send(const Node& node, bool own_child, std::span<const Share> here) {
  const size_t children = weights_.children();
  for (size_t c = 0; c < children; ++c) {
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

void Descent::add_stop(NodeIndex node, size_t begin) {
  if (next_count_ > begin) next_stops_.push_back({node, begin, next_count_});
}

}  // namespace softwood
