# A target for each install component builds its files, and the installation checks that they exist before it copies
# anything, so that it is never partial.

# patchbay_component(<name> <target>...): adds the target component-<name>, and the check. Call it before the first install().
function(patchbay_component name)
  add_custom_target(component-${name})
  set(files "")
  foreach(target ${ARGN})
    add_dependencies(component-${name} ${target})
    string(APPEND files " \"$<TARGET_FILE:${target}>\"")
  endforeach()
  install(
    CODE "foreach(file ${files})
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"nothing was installed: \${file} is not built yet; build it first: cmake --build ${CMAKE_BINARY_DIR} --target component-${name}\")
  endif()
endforeach()"
    COMPONENT ${name})
endfunction()
