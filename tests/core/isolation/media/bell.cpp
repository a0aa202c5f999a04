#include "isolation/media/bell.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>

using namespace patchbay;
using namespace patchbay::core::isolation;

namespace {

bool is_readable(int fd) {
  pollfd about{fd, POLLIN, 0};
  return ::poll(&about, 1, 0) == 1;
}

struct Bells {
  Bells() {
    const Descriptor inside(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto made = Bell::create(inside.get());
    REQUIRE(made);
    auto accepted = Bell::accept(std::move(made->second));
    REQUIRE(accepted);
    child.emplace(std::move(made->first));
    server.emplace(std::move(accepted->first));
    attached = std::move(accepted->second);
  }
  std::optional<Bell> child, server;
  Descriptor attached;
  std::atomic<uint32_t> rung{0};
};

}  // namespace

TEST_CASE("a bell comes with the descriptor inside, and rings both ways") {
  Bells bells;
  char path[64] = {};
  REQUIRE(::readlink(("/proc/self/fd/" + std::to_string(bells.attached.get())).c_str(), path, sizeof path) >
          0);
  CHECK(std::string(path) == "/dev/null");
  CHECK_FALSE(is_readable(bells.server->fd()));
  bells.child->ring(bells.rung);
  CHECK(is_readable(bells.server->fd()));
  CHECK(bells.server->answer(bells.rung));
  CHECK_FALSE(is_readable(bells.server->fd()));
  std::atomic<uint32_t> rung_at_child{0};
  bells.server->ring(rung_at_child);
  CHECK(is_readable(bells.child->fd()));
  CHECK(bells.child->answer(rung_at_child));
}

TEST_CASE("a bell that was not answered is not rung again") {
  Bells bells;
  for (int i = 0; i < 3; ++i) bells.child->ring(bells.rung);
  char bytes[8];
  CHECK(::recv(bells.server->fd(), bytes, sizeof bytes, MSG_DONTWAIT) == 1);
}

TEST_CASE("ringing never waits, not for a full bell and not for one whose other side has ended") {
  Bells bells;
  for (int i = 0; i < 100'000; ++i) {
    bells.rung = 0;  // a child that writes what it wants
    bells.server->ring(bells.rung);
  }
  bells.child.reset();
  bells.rung = 0;
  bells.server->ring(bells.rung);
  CHECK_FALSE(bells.server->answer(bells.rung));
}

TEST_CASE("descriptors that are no bells are refused") {
  CHECK_FALSE(Bell::accept(Descriptor()));
  CHECK_FALSE(Bell::accept(Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC))));
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Descriptor other(ends[0]);
  REQUIRE(::send(other.get(), "x", 1, 0) == 1);  // nothing inside
  CHECK_FALSE(Bell::accept(Descriptor(ends[1])));
  CHECK_FALSE(Bell::accept(Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))));
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Descriptor silent(ends[0]);
  CHECK_FALSE(Bell::accept(Descriptor(ends[1])));
}
