# PATCHBAY_SANITIZE: a list such as "address,undefined" or "thread", for the whole tree.
set(PATCHBAY_SANITIZE "" CACHE STRING "Sanitizers to build with")
if(PATCHBAY_SANITIZE)
  add_compile_options(-fsanitize=${PATCHBAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PATCHBAY_SANITIZE})
  # GCC warns about fences in Asio, which ThreadSanitizer does not support; our synchronisation does not depend on them.
  if(PATCHBAY_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
endif()

# Coverage for libFuzzer in every library; the fuzz programs are in tests/fuzz.
option(PATCHBAY_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
if(PATCHBAY_FUZZ AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
