// split=conditional-inference: the input of a node is chosen by tests of independence, and only
// then its cut; a node where no test rejects independence stays a leaf (Hothorn, Hornik & Zeileis
// 2006).
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

std::unique_ptr<Splitter> make_conditional_inference(const SplitterSetting& setting);

}  // namespace softwood::grow
