# Language, warnings and flags shared by every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
endif()

# So that the library can be part of a shared one, such as a Python module. Nobody replaces its
# functions from outside, so calls among them may be inlined all the same.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition)

# A fused multiply-add rounds once instead of twice: whether the compiler picks one
# must not decide what a model looks like.
add_compile_options(-ffp-contract=off)

if(SOFTWOOD_DEVELOPER)
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                      -Wcast-qual -Wunused -Woverloaded-virtual -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms of g++ 12: in std::string (GCC bug 105651), and on an empty optional of a variant
    # that is moved. clang and the sanitizers watch for the real thing.
    add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
  endif()

  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()
