# PATCHBAY_UNITY: compiles the files of a target in groups. A full build takes a third of the time, because files share most
# headers; but an edit recompiles the whole group, so the dev preset does not use it. Names in anonymous namespaces must then
# be unique within a target; a target where they are not sets UNITY_BUILD OFF.
option(PATCHBAY_UNITY "Compile the files of a target in groups" OFF)
# A group of 24 is a whole target mostly, so that a header and an inline function are compiled fewer times: a fifth less time
# than with groups of 8. The compiler then takes up to 1.4 GB.
set(PATCHBAY_UNITY_FILES 24 CACHE STRING "Files in a group")
if(PATCHBAY_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${PATCHBAY_UNITY_FILES})
  # GCC takes the .cpp files of a group for headers, and warns about classes with members of anonymous types. It also warns
  # wrongly about uninitialized members of moved std::variants, once enough is inlined.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(PATCHBAY_UNITY_FILES GREATER 8)
      # By default GCC collects garbage from 128 MB on, which takes a tenth of the time of a large group.
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
    endif()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage> $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()
