# patchbay_add_test(NAME SOURCES ... [LIBRARIES ...] [LABELS label, instead of NAME] [TIMEOUT seconds] [PROPERTIES ...]
#                   [ON_POSTGRES | ON_POSTGRES_FILES source ...])
#
# ON_POSTGRES adds a test that runs the whole program with the store on PostgreSQL (support/test_store.h), without sanitizers;
# ON_POSTGRES_FILES one that runs the test cases of these sources, for a program whose other tests do not use the store.
#
# TIMEOUT stops a test that hangs. Its default is well above the 60 s that a test waits for one condition, so that the test
# itself reports what did not happen.
#
# Adds a doctest program, with a CTest test for each TEST_CASE. A filter that matches nothing fails (doctest would exit with 0),
# so test names must not contain ';', at which CMake would split them.
find_package(doctest REQUIRED)
include(doctest)

add_library(patchbay_test_main STATIC ${CMAKE_CURRENT_LIST_DIR}/test_main.cpp)
target_link_libraries(patchbay_test_main PUBLIC doctest::doctest)

function(patchbay_add_test name)
  cmake_parse_arguments(arg "ON_POSTGRES" "LABELS;TIMEOUT" "SOURCES;LIBRARIES;ON_POSTGRES_FILES;PROPERTIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(NOT arg_LABELS) # one only: doctest_discover_tests takes a second for a property
    set(arg_LABELS ${name})
  endif()
  add_executable(test-${name} ${arg_SOURCES})
  target_link_libraries(test-${name} PRIVATE patchbay_test_main patchbay_warnings Threads::Threads ${arg_LIBRARIES})
  target_include_directories(test-${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set_target_properties(test-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  doctest_discover_tests(
    test-${name}
    TEST_PREFIX "${name}: "
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} FAIL_REGULAR_EXPRESSION "test cases:[ ]+0 "
               ${arg_PROPERTIES})
  if((arg_ON_POSTGRES OR arg_ON_POSTGRES_FILES) AND NOT PATCHBAY_SANITIZE)
    set(on_postgres "${name}: all of it on PostgreSQL")
    set(filter)
    if(arg_ON_POSTGRES_FILES)
      set(on_postgres "${name}: all that uses the store on PostgreSQL")
      list(TRANSFORM arg_ON_POSTGRES_FILES PREPEND "*/")
      list(JOIN arg_ON_POSTGRES_FILES "," files)
      set(filter --source-file=${files})
    endif()
    add_test(NAME "${on_postgres}" COMMAND test-${name} ${filter})
    # Begins first, because it is one long test.
    set_tests_properties(
      "${on_postgres}" PROPERTIES ${arg_PROPERTIES} TIMEOUT 900 LABELS ${arg_LABELS} COST 200 ENVIRONMENT_MODIFICATION
                                  PATCHBAY_TEST_STORE=set:postgres FAIL_REGULAR_EXPRESSION "test cases:[ ]+0 ")
  endif()
endfunction()

# patchbay_add_script_test(LABEL SCRIPT "what it shows" [TIMEOUT seconds] [COST number] [ON_POSTGRES])
#
# Adds a Python script of the current folder, which runs the program with the build's plugins (tests/support/python). ON_POSTGRES
# adds the same test with the store on PostgreSQL, without sanitizers.
find_program(PATCHBAY_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)

function(patchbay_add_script_test label script name)
  cmake_parse_arguments(arg "ON_POSTGRES" "TIMEOUT;COST" "" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(NOT arg_COST)
    set(arg_COST 40)
  endif()
  set(tests "${label}: ${name}")
  set(on_postgres "${label}: ${name}, on PostgreSQL")
  if(arg_ON_POSTGRES AND NOT PATCHBAY_SANITIZE)
    list(APPEND tests "${on_postgres}")
  endif()
  foreach(test IN LISTS tests)
    add_test(NAME "${test}" COMMAND ${PATCHBAY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script} $<TARGET_FILE:patchbay-program>
                                    ${CMAKE_BINARY_DIR}/plugins)
    set_tests_properties("${test}" PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${label} COST ${arg_COST}
                         ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support/python;PYTHONDONTWRITEBYTECODE=1")
    if(test STREQUAL on_postgres)
      set_tests_properties("${test}" PROPERTIES ENVIRONMENT_MODIFICATION PATCHBAY_TEST_STORE=set:postgres)
    endif()
  endforeach()
endfunction()
