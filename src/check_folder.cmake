# Fails if a file of a folder includes a header of a folder that it may not use, declares something in another namespace
# than the folder's, or names a flag of the command line in a string. Every folder has its own namespace, so that the
# same name in two folders denotes two things. Flags belong to cli: libraries have other callers too, and name arguments
# as base/error.h says.
#   cmake -DFOLDER=/path/of/src/NAME -DALLOWED=a,b -DSTAMP=FILE -P check_folder.cmake
cmake_minimum_required(VERSION 3.23)
get_filename_component(name ${FOLDER} NAME)
string(REPLACE "," ";" allowed "${ALLOWED}")
set(namespace plumb::${name})
if(name STREQUAL base)
  set(namespace plumb)
endif()
file(GLOB_RECURSE files ${FOLDER}/*.h ${FOLDER}/*.cc)
foreach(file ${files})
  file(STRINGS ${file} lines REGEX "^(#include \"|namespace plumb)")
  foreach(line ${lines})
    if(line MATCHES "^#include \"([^/\"]+)/" AND NOT CMAKE_MATCH_1 STREQUAL name AND NOT CMAKE_MATCH_1 IN_LIST allowed)
      message(SEND_ERROR "${file}: ${line}\n'${name}' may not include '${CMAKE_MATCH_1}': src/${name}/CMakeLists.txt "
        "does not name it under USES")
    elseif(line MATCHES "^namespace " AND NOT line MATCHES "^namespace ${namespace}(::| )")
      message(SEND_ERROR "${file}: ${line}\nwhat '${name}' declares belongs to the namespace ${namespace}")
    endif()
  endforeach()
  # Text inside a string is preceded by an odd number of quotation marks.
  file(STRINGS ${file} flags REGEX "^[^\"]*(\"[^\"]*\"[^\"]*)*\"[^\"]*--[a-z]")
  if(flags AND NOT name STREQUAL cli)
    message(SEND_ERROR "${file}: ${flags}\nonly cli may name flags: use argument() of base/error.h")
  endif()
endforeach()
file(TOUCH ${STAMP})
