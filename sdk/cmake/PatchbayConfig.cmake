include(${CMAKE_CURRENT_LIST_DIR}/PatchbayTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/PatchbayPlugin.cmake)
