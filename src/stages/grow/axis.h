// split=axis: the best threshold or division of levels over all features.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

// The best split of a node by one feature.
class FeatureSearch {
 public:
  struct Wanted {
    double min_leaf;     // least weight of a child
    double to_beat = 0;  // scores that are not better need not be found
  };

  explicit FeatureSearch(const SplitterSetting& setting);
  // Says in `active` whether the feature is constant in the node.
  Found find(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
             const Wanted& wanted, Scratch& scratch) const;
  // The same for features of which nothing but a cut is to be found: not nominal, with rows without
  // a value on either side of it.
  bool is_plain(const OpenNode& open, const ActiveFeature& active) const;
  Cut plain_cut(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                const Wanted& wanted, Scratch& scratch) const;
  bool by_ratio() const { return by_ratio_; }

 private:
  double least_on_side(std::span<const double> node, const OpenNode& open,
                       std::span<const uint32_t> missing, double min_leaf) const;
  Cut search_known(std::span<const double> node, const NodeData& data,
                   std::span<const uint32_t> known, std::span<const uint32_t> missing, double least,
                   bool own_child, Scratch& scratch) const;
  static Cut known_or_missing(std::span<const double> node, size_t known, double min_leaf,
                              const SplitSearch& search, Scratch& scratch);
  Found search_nominal(std::span<const double> node, const OpenNode& open, ActiveFeature& active,
                       double min_leaf, Scratch& scratch) const;
  void divide_rows(std::span<const uint32_t> slots, const SplitSearch& search, double min_leaf,
                   Found& found, Scratch& scratch) const;
  void divide_levels(std::span<const double> node, const SplitSearch& search, double min_leaf,
                     Found& found, Scratch& scratch) const;

  MissingValues missing_;
  NominalSplit nominal_;
  bool by_ratio_;                   // features are compared by gain ratio
  std::vector<int8_t> directions_;  // of features; empty: none is monotone
};

std::unique_ptr<Splitter> make_axis_splitter(const SplitterSetting& setting);

}  // namespace softwood::grow
