# PATCHBAY_SANITIZE: a list such as "address,undefined" or "thread", for the whole tree.
set(PATCHBAY_SANITIZE "" CACHE STRING "Sanitizers to build with")
if(PATCHBAY_SANITIZE)
  add_compile_options(-fsanitize=${PATCHBAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PATCHBAY_SANITIZE})
endif()
