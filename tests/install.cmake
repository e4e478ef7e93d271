# Installs to a fresh prefix, then builds and runs the examples against it as a user would.
file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${prefix}/bin/softwood --version)
# The flags matter under a sanitizer: library and example must agree.
run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)

# A package that only works beside its build folder would pass so far.
file(GLOB files ${prefix}/lib*/cmake/Softwood/*.cmake)
foreach(file IN LISTS files)
  file(READ ${file} text)
  string(FIND "${text}" "${BUILD_DIR}/" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file} mentions the build folder")
  endif()
endforeach()

# Without presets: no tests, no benchmarks, and for the library alone no package of the command line.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/library -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DBUILD_SHARED_LIBS=ON -DSOFTWOOD_PROGRAM=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
    -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON)

file(GLOB sources ${EXAMPLES}/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  run(${WORK_DIR}/build/${name})
endforeach()
