# patchbay_warnings: linked PRIVATE by every target. Warnings are errors in CI.
option(PATCHBAY_WERROR "Treat warnings as errors" OFF)
add_library(patchbay_warnings INTERFACE)
target_compile_options(patchbay_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wformat=2
                                                   -Wvla)
target_compile_options(patchbay_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
                                                   $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(patchbay_warnings INTERFACE -Wthread-safety)
endif()
# GCC 12 warns wrongly about overlapping copies in std::string at -O2 (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(patchbay_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(PATCHBAY_WERROR)
  target_compile_options(patchbay_warnings INTERFACE -Werror)
endif()
