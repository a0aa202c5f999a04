# The install folders below the prefix. `cmake --install` has three components: runtime (program, plugins, unit,
# configuration), sdk (to build plugins) and core (the server as a library).
include(GNUInstallDirs)
set(PATCHBAY_INSTALL_PLUGINDIR ${CMAKE_INSTALL_LIBDIR}/patchbay/plugins)
set(PATCHBAY_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Patchbay)
