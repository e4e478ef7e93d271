// Surrogate splits (Breiman et al. 1984): splits of a node by other inputs that send
// its rows nearly as the node's own split does. They decide for rows that have no value there.
#pragma once

#include <array>

#include "stages/grow/splitter.h"

namespace softwood::grow {

// The child that is marked for rows the node's own split can't send.
constexpr uint32_t no_side = 2;

// The split that is to be imitated; the child of every row of the node is marked in the lists.
struct Imitated {
  std::vector<uint32_t> features;  // not to be used
  std::array<double, 2> weight;    // of the rows that it sends, by child
};

// At most `most` surrogates, best agreement first, ties in the order of the columns. As in rpart
// with surrogatestyle = 0, the agreement is the weight of the rows sent alike divided by that of
// all rows the node's own split sends (a row without the surrogate's value is not sent alike). A
// surrogate must be better than sending all rows to the heavier child.
std::vector<Surrogate> find_surrogates(const OpenNode& open, const Imitated& split, size_t most,
                                       const Workers& workers);

}  // namespace softwood::grow
