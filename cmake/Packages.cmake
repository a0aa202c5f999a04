# Debian packages: `patchbay` is the server, `patchbay-dev` is for building plugins and embedding programs.
# Build, then `cpack --config build/release/CPackConfig.cmake -B <folder>`.
set(packaging ${PROJECT_SOURCE_DIR}/cmake/packaging)

install(CODE "set(PATCHBAY_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
set(PATCHBAY_WORK_FOLDER \"${PROJECT_BINARY_DIR}/packaging\")" COMPONENT runtime)
install(SCRIPT ${packaging}/install-system-files.cmake COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay RENAME copyright COMPONENT runtime)
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay-dev RENAME copyright COMPONENT sdk)
# With the folder structure of the source tree, so that the links between pages are valid.
foreach(page sdk/README.md core/testing/README.md core/src/isolation/README.md)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay-dev/${folder} COMPONENT sdk)
endforeach()
install(DIRECTORY sdk/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay-dev/sdk COMPONENT sdk FILES_MATCHING PATTERN *.md)
install(DIRECTORY sdk/tutorial DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay-dev/sdk COMPONENT sdk)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/patchbay-dev COMPONENT sdk
        PATTERN build EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Patchbay developers <patchbay@localhost>")
set(CPACK_PACKAGE_VENDOR Patchbay)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
# Files outside of the prefix (/etc, the unit) need the final prefix, below CPack's staging folder.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)

set(CPACK_COMPONENTS_ALL runtime sdk core)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_RUNTIME_GROUP server)
set(CPACK_COMPONENT_SDK_GROUP dev)
set(CPACK_COMPONENT_CORE_GROUP dev)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_SERVER_PACKAGE_NAME patchbay)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SERVER_DESCRIPTION
    "SIP trunks, live AI voices on calls, transcripts and signed webhooks behind a REST API.")
set(CPACK_DEBIAN_SERVER_PACKAGE_SHLIBDEPS ON)
# procps: the unit's reload is /bin/kill. Libraries that are loaded at their first use are in no file's list of needed ones.
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "adduser, procps, libcurl4, libflite1, libipsec-mb1, libpocketsphinx3, libsrtp2-1")
# Speech models for the engine `local`; CA certificates for webhooks and engines on the network.
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "ca-certificates, libpq5, pocketsphinx-en-us")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA ${packaging}/conffiles ${packaging}/postinst ${packaging}/prerm
                                              ${packaging}/postrm)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME patchbay-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "Headers, CMake package and pkg-config file for plugins, and the server as a static library for programs that embed it.")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS ON)
# For programs that embed the server (Patchbay::core); plugins need none of them.
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libsqlite3-dev, libssl-dev, libyaml-cpp-dev")
# libpq5: for tests of plugins with the store on PostgreSQL.
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "patchbay (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), cmake, g++, libpq5")
include(CPack)
