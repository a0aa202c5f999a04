# The configuration and the unit go where the system looks for them: below /usr that is /etc and /lib/systemd, below any
# other prefix they stay inside it. Decided here because the prefix is known only when things are installed.
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
