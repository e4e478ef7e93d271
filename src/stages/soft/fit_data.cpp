#include "stages/soft/fit_data.h"

#include <set>

#include "data/typical.h"
#include "stages/soft/constants.h"
#include "stages/soft/hard_trees.h"

namespace softwood::soft {

using gradient::Inputs;
using gradient::Network;
using gradient::Rows;

namespace {

double mean_weight(std::span<const Sample> samples) {
  double sum = 0, count = 0;
  for (const Sample& sample : samples) {
    for (const RowIndex row : sample.rows) sum += sample.table->weight(row);
    count += static_cast<double>(sample.rows.size());
  }
  return sum / std::max(count, 1.0);
}

// `heavier`: what their weights, which have a mean of 1, are multiplied by.
void append(const Rows<float>& from, double heavier, Rows<float>& to) {
  to.count += from.count;
  to.cells.insert(to.cells.end(), from.cells.begin(), from.cells.end());
  to.target.insert(to.target.end(), from.target.begin(), from.target.end());
  for (const float weight : from.weight) to.weight.push_back(weight * static_cast<float>(heavier));
}

}  // namespace

size_t features_of(const Inputs& inputs) {
  std::set<uint32_t> all;
  for (const std::vector<uint32_t>& of_term : inputs.features()) {
    all.insert(of_term.begin(), of_term.end());
  }
  return all.size();
}

// Means, deviations and typical values are those of all training rows: what they tell of the rows
// that judge is too little to matter.
FitData::FitData(const FitRun& run)
    : run_(run),
      table_(run.table()),
      scale_(gradient::target_scale(run.parts.all()[0])),
      typical_(typical_values(table_, run.parts.all()[0].rows, run.control)),
      derived_(table_) {}

void FitData::impute(Imputation by) {
  const std::span<const RowIndex> rows = run_.parts.all()[0].rows;
  typical_ = by == Imputation::typical ? typical_values(table_, rows, run_.control)
                                       : informative_values(table_, rows, run_.control);
  imputation_ = by;
  by_part_.clear();
  inputs_.clear();
}

bool FitData::any_missing() const {
  for (size_t f = 0; f < table_.features(); ++f) {
    if (table_.input(f).missing > 0) return true;
  }
  return false;
}

const FitData::ByPart& FitData::by_part(const Settings& settings) {
  std::unique_ptr<ByPart>& place =
      by_part_[{settings.map, settings.products, settings.greedy_leaves,
                settings.greedy_leaves > 0 && settings.linear_leaves}];
  if (!place) place = std::make_unique<ByPart>(divided(settings));
  return *place;
}

FitData::ByPart FitData::divided(const Settings& settings) {
  ByPart made;
  const Parts& parts = run_.parts;
  for (size_t part = 0; part < parts.count(); ++part) {
    made.bases.push_back(basis(settings, parts.others(part)));
  }
  if (settings.greedy_leaves > 0) {
    for (size_t part = 0; part < parts.count(); ++part) {
      made.train.push_back(rows(made.bases[part], parts.others(part)));
      made.held_out.push_back(rows(made.bases[part], parts.part(part)));
    }
  } else {
    divide_rows(made);
  }
  // Rows have a mean weight of 1 by themselves; a heavy part counts more than a light one.
  std::vector<Sample> all;
  for (size_t part = 0; part < parts.count(); ++part) {
    all.insert(all.end(), parts.part(part).begin(), parts.part(part).end());
  }
  const double mean = mean_weight(all);
  for (size_t part = 0; part < parts.count(); ++part) {
    const double heavier = mean_weight(parts.part(part)) / mean;
    for (float& weight : made.held_out[part].weight) weight *= static_cast<float>(heavier);
  }
  return made;
}

// All parts have the same terms, which take long to compute.
void FitData::divide_rows(ByPart& by_part) const {
  const Parts& parts = run_.parts;
  std::vector<Rows<float>> own;
  for (size_t part = 0; part < parts.count(); ++part) {
    own.push_back(rows(by_part.bases[part], parts.part(part)));
  }
  for (size_t part = 0; part < parts.count(); ++part) {
    Rows<float>& train = by_part.train.emplace_back();
    train.stride = own[part].stride;
    const double mean = mean_weight(parts.others(part));
    for (size_t other = 0; other < parts.count(); ++other) {
      if (other == part && parts.count() > 1) continue;
      append(own[other], mean_weight(parts.part(other)) / mean, train);
    }
  }
  by_part.held_out = std::move(own);
}

std::shared_ptr<const Inputs> FitData::inputs_for(const Settings& settings) {
  std::shared_ptr<const Inputs>& place = inputs_[{settings.map, settings.products}];
  if (!place) {
    place = std::make_shared<const Inputs>(run_.parts.all()[0], typical_, settings.map,
                                           settings.products, run_.control);
  }
  return place;
}

FitBasis FitData::basis(const Settings& settings, std::span<const Sample> samples) {
  if (settings.greedy_leaves == 0) return {inputs_for(settings), nullptr};
  gradient::CompileOptions options;
  options.all_inputs = true;
  options.map = settings.map;
  options.linear_leaves = settings.linear_leaves;
  options.node_spread = true;
  options.softness = Constants::greedy_softness;
  options.steps = gradient::SoftLink::ramp;
  Tree tree =
      greedy_tree(derived_, samples, settings.greedy_leaves, run_.parallel, run_.control.silent());
  tree.set_typical(typical_);
  return {nullptr, std::make_shared<const gradient::CompiledTree>(tree, run_.parts.all()[0],
                                                                  options, run_.control)};
}

Network FitData::network(const Settings& settings, const FitBasis& basis) const {
  if (basis.greedy) return basis.greedy->net;
  const gradient::Loss loss = gradient::usual_loss(table_);
  // Without inputs there is nothing to ask for.
  const size_t terms = basis.inputs->terms(), depth = terms == 0 ? 0 : settings.depth;
  return gradient::full_network(depth, terms, gradient::outputs_for(loss, table_),
                                settings.linear_leaves && terms > 0, loss);
}

Rows<float> FitData::rows(const FitBasis& basis, std::span<const Sample> samples) const {
  return basis.greedy ? basis.greedy->rows(samples, run_.control)
                      : basis.inputs->rows<float>(samples, scale_, run_.control);
}

Rows<float> FitData::plain_rows(std::span<const Sample> samples) {
  return inputs_for(Settings())->rows<float>(samples, scale_, run_.control);
}

size_t FitData::size(const Settings& settings) {
  const FitBasis& basis = by_part(settings).bases[0];
  const Network net = network(settings, basis);
  const size_t features = features_of(basis.terms());
  // About as many terms for each feature that a gate may have.
  size_t of_gate = net.terms;
  if (settings.most_features > 0 && settings.most_features < features) {
    of_gate = (net.terms * settings.most_features + features - 1) / features;
  }
  return net.gates() * (of_gate + 1) +
         net.leaves * net.outputs * (1 + (net.linear_leaves ? net.terms : 0));
}

bool FitData::has_gates(const Settings& settings) {
  return network(settings, by_part(settings).bases[0]).gates() > 0;
}

size_t FitData::outputs() const {
  return gradient::outputs_for(gradient::usual_loss(table_), table_);
}

}  // namespace softwood::soft
