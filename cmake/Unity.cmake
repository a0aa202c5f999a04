# PATCHBAY_UNITY: compiles the files of a target in groups. A whole build takes a third of the time, because most of it goes
# into the same headers; after an edit the whole group is compiled again, so the dev preset leaves it off.
# Names in anonymous namespaces must then be unique within a target. A target that cannot have that sets UNITY_BUILD OFF.
option(PATCHBAY_UNITY "Compile the files of a target in groups" OFF)
if(PATCHBAY_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
  # A class of a .cpp file that has a member of that file's anonymous namespace: GCC takes the file for a header. And it sees
  # uninitialized members of a std::variant that is moved, once enough of a group is inlined.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage> $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()
