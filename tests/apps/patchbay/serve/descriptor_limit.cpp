#include "serve/descriptor_limit.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>

TEST_CASE("the limit of descriptors is raised to what the server may have") {
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  rlimit low = usual;
  low.rlim_cur = std::min<rlim_t>(usual.rlim_max, 256);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  patchbay::app::raise_descriptor_limit();
  rlimit raised{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &raised) == 0);
  CHECK(raised.rlim_cur == std::min<rlim_t>(usual.rlim_max, 65'536));
  CHECK(raised.rlim_max == usual.rlim_max);
  CHECK(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
}
