// The only file of the tests that knows folders of the machine, so that a compiler cache can serve
// the others to every checkout.
#include "support/data.h"

namespace softwood::test {

const char* const data_folder = SOFTWOOD_DATA_DIR;
const char* const small_data_folder = SOFTWOOD_SMALL_DATA_DIR;
const char* const records_folder = SOFTWOOD_RECORDS_DIR;

}  // namespace softwood::test
