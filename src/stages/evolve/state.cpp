// The state of a search as bytes, for checkpoints (docs/reference/methods/evolve.md). Of a tree the
// questions are enough, and at which nodes exact choices were tried in vain: all else that is known
// of it is what routing the rows gives, to the last bit.
#include "softwood/error.h"
#include "stages/evolve/search.h"

namespace softwood::evolve {
namespace {

Error damaged() { return {ErrorKind::data, "damaged"}; }  // go_on_from says more

// Field by field: the bytes between the fields of a Gene could be anything.
void write_tree(ByteWriter& out, const Individual& tree) {
  out.value(static_cast<uint32_t>(tree.genes.size()));
  for (const Gene& gene : tree.genes) {
    out.value(gene.size);
    out.value(gene.feature);
    out.value(gene.cut);
    out.value(gene.branch);
    out.value(static_cast<uint8_t>((gene.missing_first ? 1 : 0) | (gene.settled ? 2 : 0)));
  }
}

// Whether the genes are a tree of questions that the rows can be asked.
bool is_possible(const Genes& genes, const CodedRows& rows) {
  std::vector<size_t> ends = {genes.size()};  // of the subtrees that are open
  for (size_t i = 0; i < genes.size(); ++i) {
    const Gene& gene = genes[i];
    while (ends.back() == i) ends.pop_back();
    if (gene.size < 1 || gene.size > ends.back() - i || (i == 0 && gene.size != genes.size())) {
      return false;
    }
    if (gene.is_leaf() != (gene.size == 1)) return false;
    if (gene.is_leaf()) continue;
    if (gene.feature >= rows.axes().size()) return false;
    const Axis& axis = rows.axes()[gene.feature];
    if (!axis.nominal && gene.cut >= axis.cuts.size()) return false;
    ends.push_back(i + gene.size);
  }
  for (size_t i = 0; i < genes.size(); ++i) {
    if (genes[i].is_leaf() || rows.axes()[genes[i].feature].nominal) continue;
    if (children_of(genes, i) != 2) return false;
  }
  return true;
}

void read_tree(ByteReader& in, Router& router, Individual& tree) {
  const auto count = in.value<uint32_t>();
  // Every leaf has rows, and every inner node at least two children.
  if (count == 0 || count >= 2 * router.rows().rows()) throw damaged();
  tree.genes.assign(count, Gene{});
  std::vector<bool> settled;
  for (Gene& gene : tree.genes) {
    gene.size = in.value<uint32_t>();
    gene.feature = in.value<uint32_t>();
    gene.cut = in.value<uint32_t>();
    gene.branch = in.value<uint32_t>();
    const auto flags = in.value<uint8_t>();
    gene.missing_first = (flags & 1U) != 0;
    settled.push_back((flags & 2U) != 0);
  }
  if (!is_possible(tree.genes, router.rows())) throw damaged();
  router.reroute(tree, false);
  if (tree.genes.size() != count) throw damaged();
  for (size_t i = 0; i < count; ++i) tree.genes[i].settled = settled[i];
}

}  // namespace

void Island::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(generation_));
  out.value(success_);
  for (const Individual& tree : current_) write_tree(out, tree);
}

void Island::read(ByteReader& in, Router& router) {
  generation_ = in.value<uint64_t>();
  success_ = in.value<decltype(success_)>();
  for (const double share : success_) {
    if (!(share > 0 && share <= 1)) throw damaged();
  }
  for (Individual& tree : current_) read_tree(in, router, tree);
  rank();
}

Bytes Search::state() const {
  ByteWriter out;
  out.value(static_cast<uint64_t>(round_));
  out.value(static_cast<uint64_t>(improved_));
  write_tree(out, best_);
  for (size_t i = 0; i < islands_.size(); ++i) {
    out.value(static_cast<uint64_t>(stale_[i]));
    out.value(island_best_[i]);
    islands_[i].write(out);
  }
  return out.take();
}

void Search::go_on_from(const Bytes& state) {
  try {
    read(state);
  } catch (const Error&) {  // too short, or not such a tree
    throw Error(ErrorKind::data, "the checkpoint holds no search on such rows with such settings");
  }
}

void Search::read(const Bytes& state) {
  Router& router = workspaces_[0]->operators.router();
  ByteReader in(state);
  started_ = true;
  round_ = in.value<uint64_t>();
  improved_ = in.value<uint64_t>();
  if (improved_ > round_) throw damaged();
  read_tree(in, router, best_);
  for (size_t i = 0; i < islands_.size(); ++i) {
    stale_[i] = in.value<uint64_t>();
    island_best_[i] = in.value<double>();
    islands_[i].read(in, router);
    island_trees_[i] = islands_[i].best();
  }
  if (!in.at_end()) throw damaged();
}

}  // namespace softwood::evolve
