// Data sets of OpenML (Vanschoren et al. 2014), named as openml:ID or openml:NAME[@VERSION]. They
// are fetched once and kept in the user's cache folder.
#pragma once

#include <string>
#include <vector>

namespace softwood {

struct OpenmlSet {
  std::string id, name, version, status;
  std::string file;                  // the ARFF file, in the cache
  std::string target;                // empty: none, or several
  std::vector<std::string> targets;  // as the description names them
  std::vector<std::string> ignored;  // row identifiers, and columns that are not for learning
};

bool is_openml(const std::string& path);  // it begins with "openml:"

// Looked for once per run: in the cache where it is there and unchanged, else on the server that
// the variable SOFTWOOD_OPENML_URL names (https://www.openml.org by default). A data Error for what
// is not there or is not dense ARFF; a failure Error when the server can't be reached.
const OpenmlSet& openml_set(const std::string& reference);

}  // namespace softwood
