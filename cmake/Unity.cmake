# PATCHBAY_UNITY: compiles the files of a target in groups. A full build takes a third of the time, because files share most
# headers; but an edit recompiles the whole group, so the dev preset does not use it. Names in anonymous namespaces must then
# be unique within a target; a target where they are not sets UNITY_BUILD OFF.
option(PATCHBAY_UNITY "Compile the files of a target in groups" OFF)
if(PATCHBAY_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
  # GCC takes the .cpp files of a group for headers, and warns about classes with members of anonymous types. It also warns
  # wrongly about uninitialized members of moved std::variants, once enough is inlined.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage> $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()
