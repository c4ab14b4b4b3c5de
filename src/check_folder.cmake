# Fails if a file of a folder includes a header of a folder that it may not, declares something in a namespace that is
# not the folder's, or names a flag of the command line in a string. Every folder has its own namespace, so that two
# things of one name in two folders are two things. Flags belong to cli: a library is not only called from there, and
# names arguments as base/error.h says.
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
  # An odd number of quotation marks stands before what is inside a string.
  file(STRINGS ${file} flags REGEX "^[^\"]*(\"[^\"]*\"[^\"]*)*\"[^\"]*--[a-z]")
  if(flags AND NOT name STREQUAL cli)
    message(SEND_ERROR "${file}: ${flags}\nonly cli may name flags: use argument() of base/error.h")
  endif()
endforeach()
file(TOUCH ${STAMP})
