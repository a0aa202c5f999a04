# Patchbay::core, and what a program that links it links as well.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(SQLite3)
find_dependency(yaml-cpp)
include(${CMAKE_CURRENT_LIST_DIR}/PatchbayCoreTargets.cmake)
