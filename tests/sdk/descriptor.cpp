#include "patchbay/descriptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <utility>

using patchbay::Descriptor;

namespace {

int open_file() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

}  // namespace

TEST_CASE("a descriptor is closed with its owner, and only by it") {
  const int fd = open_file();
  REQUIRE(fd >= 0);
  {
    Descriptor first(fd);
    CHECK(first);
    CHECK(first.get() == fd);
    Descriptor second = std::move(first);
    CHECK(second.get() == fd);
    { const Descriptor moved_from = std::move(first); }
    CHECK(is_open(fd));
  }
  CHECK_FALSE(is_open(fd));
}

TEST_CASE("a descriptor that is assigned another one closes its own") {
  const int fd = open_file();
  Descriptor owner(fd);
  owner = Descriptor();
  CHECK_FALSE(owner);
  CHECK_FALSE(is_open(fd));
}

TEST_CASE("a released descriptor stays open, and a failed open owns nothing") {
  Descriptor owner(open_file());
  const int fd = owner.release();
  CHECK_FALSE(owner);
  owner = Descriptor();
  CHECK(is_open(fd));
  CHECK_FALSE(Descriptor(-1));
  ::close(fd);
}
