# patchbay_add_plugin(<id> SOURCES <file>... MANIFEST <file> [SETTINGS <file>] [STORE <file>] [LIBRARIES <target>...] [ID <id>])
#
# Builds the plugin <id>.so with one exported symbol, and the manifest and the SQL embedded in ELF sections. The id is the
# name of the target, the file and the configuration key; ID is for a target that is another build of a plugin, whose file
# has to be renamed. SETTINGS is a file with the schemas of the plugin's settings, {"plugin": ..., "tenant": ...,
# "WebPhone": ...}; it becomes the member `config` of the embedded manifest. Errors in the structure of both files are
# reported at configure time, all others by `patchbay plugin doctor`.
#
# patchbay_add_linked_plugin(<id> ...)
#
# Builds the plugin as a static library `<id>-linked`, for a program that embeds the core and loads no files. The program
# declares its entry and passes it to the core (CoreOptions::linked_plugins):
#
#   extern "C" const pb_entry patchbay_plugin_v1_<id with _ for ->;

# Writes `file` as a constant C array into `out`; sets ${size_var} to its length.
function(_patchbay_embed file symbol section out size_var)
  file(SIZE ${file} size)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  set(text "extern const char ${symbol}[];\nconst char ${symbol}[] __attribute__((section(\"${section}\"), used)) = {\n${bytes}0};\n")
  file(GENERATE OUTPUT ${out} CONTENT "${text}")
  set(${size_var} ${size} PARENT_SCOPE)
endfunction()

# Fails unless `file` is a JSON object with no other members than `known`. Sets ${text_var} to its text.
function(_patchbay_read_object file known text_var)
  file(READ ${file} text)
  string(JSON count ERROR_VARIABLE wrong LENGTH "${text}")
  if(wrong)
    message(FATAL_ERROR "${file}: it is not JSON: ${wrong}")
  endif()
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(at RANGE ${last})
      string(JSON member ERROR_VARIABLE wrong MEMBER "${text}" ${at})
      if(wrong)
        message(FATAL_ERROR "${file}: it is not a JSON object")
      endif()
      if(NOT member IN_LIST known)
        string(REPLACE ";" ", " list "${known}")
        message(FATAL_ERROR "${file}: ${member} is not a known field; known are ${list}")
      endif()
    endforeach()
  endif()
  set(${text_var} "${text}" PARENT_SCOPE)
endfunction()

# Fails unless the manifest is JSON with the required members, no unknown ones, and the id `wanted`.
function(_patchbay_check_manifest file wanted)
  _patchbay_read_object(${file} "id;version;summary;license;provides;requires;optional;emits;isolation;config" text)
  foreach(member id version)
    string(JSON ${member} ERROR_VARIABLE wrong GET "${text}" ${member})
    if(wrong)
      message(FATAL_ERROR "${file}: ${member} is required")
    endif()
  endforeach()
  if(NOT version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+")
    message(FATAL_ERROR "${file}: version must be three numbers with dots; for example 1.0.0")
  endif()
  if(NOT id STREQUAL wanted)
    message(FATAL_ERROR "${file}: id is '${id}', but the plugin's target is '${wanted}'; make the two the same")
  endif()
endfunction()

# Writes the manifest, with the schemas of `settings` as its member `config`, to `out`. Joins the texts, because
# string(JSON SET) would sort the members, and the server reports and lists settings in the order of their schema.
function(_patchbay_join_settings manifest settings out)
  _patchbay_read_object(${settings} "plugin;tenant;WebPhone" schemas)
  file(READ ${manifest} text)
  string(JSON config ERROR_VARIABLE absent TYPE "${text}" config)
  if(NOT absent)
    message(FATAL_ERROR "${manifest} has a member config, and ${settings} is given, too; move all settings to one of them")
  endif()
  string(FIND "${text}" "}" end REVERSE)
  string(SUBSTRING "${text}" 0 ${end} text)
  string(STRIP "${text}" text)
  string(STRIP "${schemas}" schemas)
  string(CONCAT text "${text}" ",\n\"config\": " "${schemas}" "\n}\n")
  string(JSON type ERROR_VARIABLE wrong TYPE "${text}" config)
  if(NOT type STREQUAL "OBJECT")
    message(FATAL_ERROR "${settings}: it is not one JSON object, or ${manifest} is not")
  endif()
  file(WRITE ${out} "${text}")
endfunction()

# Adds a library of this type from the sources, manifest, settings and SQL, with the entry named `entry`.
function(_patchbay_plugin_library target type id entry)
  cmake_parse_arguments(arg "" "MANIFEST;SETTINGS;STORE;ID" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_MANIFEST OR NOT arg_SOURCES)
    message(FATAL_ERROR "${target}: SOURCES and MANIFEST are needed")
  endif()
  string(REPLACE "-" "_" symbol ${id})
  set(data ${CMAKE_CURRENT_BINARY_DIR}/${target}-data)

  get_filename_component(manifest ${arg_MANIFEST} ABSOLUTE)
  if(arg_ID)
    _patchbay_check_manifest(${manifest} ${arg_ID})
  else()
    _patchbay_check_manifest(${manifest} ${id})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  if(arg_SETTINGS)
    get_filename_component(settings ${arg_SETTINGS} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${settings})
    _patchbay_join_settings(${manifest} ${settings} ${data}/manifest.json)
    set(manifest ${data}/manifest.json)
  endif()
  _patchbay_embed(${manifest} patchbay_manifest_${symbol} .patchbay_manifest ${data}/manifest.c manifest_size)
  if(arg_STORE)
    get_filename_component(store ${arg_STORE} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${store})
  else()
    set(store ${data}/empty.sql)
    file(WRITE ${store} "")
  endif()
  _patchbay_embed(${store} patchbay_store_${symbol} .patchbay_store ${data}/store.c store_size)

  add_library(${target} ${type} ${arg_SOURCES} ${data}/manifest.c ${data}/store.c)
  target_link_libraries(${target} PRIVATE Patchbay::sdk ${arg_LIBRARIES})
  target_compile_definitions(
    ${target}
    PRIVATE PATCHBAY_PLUGIN_SYMBOL=${entry} PATCHBAY_MANIFEST_DATA=patchbay_manifest_${symbol}
            PATCHBAY_MANIFEST_SIZE=${manifest_size} PATCHBAY_STORE_DATA=patchbay_store_${symbol}
            PATCHBAY_STORE_SIZE=${store_size})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  endif()
endfunction()

function(patchbay_add_plugin id)
  _patchbay_plugin_library(${id} MODULE ${id} patchbay_plugin_v1 ${ARGN})
  set_target_properties(${id} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${id}-data/exports.map)
  file(GENERATE OUTPUT ${exports} CONTENT "{ global: patchbay_plugin_v1; local: *; };\n")
  target_link_options(${id} PRIVATE LINKER:--version-script=${exports} LINKER:--exclude-libs,ALL)
  if(NOT PATCHBAY_SANITIZE)
    target_link_options(${id} PRIVATE LINKER:-z,defs)
  endif()
endfunction()

function(patchbay_add_linked_plugin id)
  string(REPLACE "-" "_" symbol ${id})
  _patchbay_plugin_library(${id}-linked STATIC ${id} patchbay_plugin_v1_${symbol} ${ARGN})
endfunction()
