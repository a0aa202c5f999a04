// Which sanitizers are compiled into a test, for those that cannot run with them:
//   TEST_CASE("..." * doctest::skip(patchbay::test::kHasAddressSanitizer))
#pragma once

namespace patchbay::test {

// GCC defines a macro, Clang names a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PATCHBAY_TEST_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define PATCHBAY_TEST_THREAD_SANITIZER
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(PATCHBAY_TEST_ADDRESS_SANITIZER)
inline constexpr bool kHasAddressSanitizer = true;
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || defined(PATCHBAY_TEST_THREAD_SANITIZER)
inline constexpr bool kHasThreadSanitizer = true;
#else
inline constexpr bool kHasThreadSanitizer = false;
#endif

#undef PATCHBAY_TEST_ADDRESS_SANITIZER
#undef PATCHBAY_TEST_THREAD_SANITIZER

}  // namespace patchbay::test
