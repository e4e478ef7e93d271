// The style sheet and the script of the page: page.css and the *.js of this folder, put into the
// library when it is built (src/render/CMakeLists.txt).
#pragma once

#include <string_view>

namespace softwood::render {

extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace softwood::render
