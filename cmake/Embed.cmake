# softwood_embed(TARGET HEADER header NAMESPACE namespace VARIABLE name FILES file...)
#
# Adds to the target a source that defines `name`, declared by the header as a std::string_view, as
# the text of the files one after the other.
#
# Run as a script (cmake -P) this file writes that source.

if(CMAKE_SCRIPT_MODE_FILE)
  set(text)
  foreach(file IN LISTS FILES)
    # A long literal in parts: compilers need not take one of more than 64 KiB.
    file(READ ${file} content)
    string(APPEND text "\n    R\"softwood(${content})softwood\"")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::string_view ${VARIABLE} =${text};

}  // namespace ${NAMESPACE}
")
  return()
endif()

function(softwood_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE;VARIABLE" "FILES")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${arg_VARIABLE}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${arg_FILES}" -DOUTPUT=${output} -DHEADER=${arg_HEADER}
            -DNAMESPACE=${arg_NAMESPACE} -DVARIABLE=${arg_VARIABLE}
            -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
