#include "base/error.h"
#include "data/readers/readers.h"

namespace softwood {

Frame read_arff(const Source& source, const ReadOptions&, const Reading&) {
  throw Error(ErrorKind::failure, "ARFF can't be read yet", source.name());
}

}  // namespace softwood
