# Installs the configuration and the unit: for the prefix /usr into /etc and /lib/systemd, for any other prefix below it. A
# script, because the prefix is known only at install time.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(etc /etc)
  set(units /lib/systemd/system)
else()
  set(etc ${CMAKE_INSTALL_PREFIX}/etc)
  set(units ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
endif()
set(bin ${CMAKE_INSTALL_PREFIX}/${PATCHBAY_BINDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/patchbay.service.in ${PATCHBAY_WORK_FOLDER}/patchbay.service @ONLY)
file(INSTALL DESTINATION ${units} TYPE FILE FILES ${PATCHBAY_WORK_FOLDER}/patchbay.service)
file(INSTALL DESTINATION ${etc}/patchbay TYPE FILE FILES ${CMAKE_CURRENT_LIST_DIR}/patchbay.yaml)
