# Fails if a file of a folder includes a header of a folder that it may not.
#   cmake -DFOLDER=/path/of/src/NAME -DALLOWED=a,b -DSTAMP=FILE -P check_includes.cmake
cmake_minimum_required(VERSION 3.23)
get_filename_component(name ${FOLDER} NAME)
string(REPLACE "," ";" allowed "${ALLOWED}")
file(GLOB_RECURSE files ${FOLDER}/*.h ${FOLDER}/*.cc)
foreach(file ${files})
  file(STRINGS ${file} lines REGEX "^#include \"")
  foreach(line ${lines})
    if(line MATCHES "^#include \"([^/\"]+)/" AND NOT CMAKE_MATCH_1 STREQUAL name AND NOT CMAKE_MATCH_1 IN_LIST allowed)
      message(SEND_ERROR "${file}: ${line}\n'${name}' may not include '${CMAKE_MATCH_1}': src/${name}/CMakeLists.txt "
        "does not name it under USES")
    endif()
  endforeach()
endforeach()
file(TOUCH ${STAMP})
