# softwood_layer(NAME [DEPENDS target...])
#
# Makes the library softwood_NAME of all sources below the current folder, so that a new
# file needs no change here. main.cpp is left out: it belongs to the program.
# A folder without sources is a header-only library.
function(softwood_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")

  set(target softwood_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src
                                                ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS})
endfunction()
