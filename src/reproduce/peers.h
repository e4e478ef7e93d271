// What other programs reached on the same rows, as experiments/peers.py wrote it down.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/parallel.h"

namespace softwood {

// A CSV file with the columns experiment, set, run (from 1), method, figure, value.
class PeerFigures {
 public:
  PeerFigures() = default;  // nothing is known of any peer
  static PeerFigures read(const std::string& path, const Parallel& parallel);

  bool known() const { return !values_.empty(); }
  // By run; NaN where a run is not there, empty when none is.
  std::vector<double> values(const std::string& experiment, const std::string& set,
                             const std::string& method, const std::string& figure) const;
  // Names of all that have a figure of the set, ascending.
  std::vector<std::string> methods(const std::string& experiment, const std::string& set) const;

 private:
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<double>>
      values_;
};

}  // namespace softwood
