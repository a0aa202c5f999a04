# What `cmake --install` copies has to be built first. A target for each component does it, and before anything is copied
# the installation looks whether it is there: it is done wholly or not at all.

# patchbay_component(<name> <target>...): the target component-<name>, and the look. Call it before the first install().
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
