# libc++ for the tests that need a second standard library. `cmake/install-packages --unpack build/libcxx libcxx` unpacks it
# instead of installing it (packages.txt says why), so clang gets its folders as options.
#   PATCHBAY_LIBCXX         the folder, or not found: then tests that need it are skipped
#   PATCHBAY_LIBCXX_COMPILE  option(s) that compile against it
#   PATCHBAY_LIBCXX_LINK     option(s) that link it
find_path(PATCHBAY_LIBCXX lib/libc++.a PATHS ${PROJECT_SOURCE_DIR}/build/libcxx/usr/lib/llvm-14 NO_DEFAULT_PATH)
set(PATCHBAY_LIBCXX_COMPILE -stdlib++-isystem ${PATCHBAY_LIBCXX}/include/c++/v1)
set(PATCHBAY_LIBCXX_LINK -stdlib=libc++ -L${PATCHBAY_LIBCXX}/lib -Wl,-rpath,${PATCHBAY_LIBCXX}/lib)
