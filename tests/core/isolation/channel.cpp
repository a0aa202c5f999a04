#include "isolation/channel.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <string>

using namespace patchbay::core::isolation;

TEST_CASE("a frame that the socket refuses ends the channel instead of being left out") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const int small = 4096;  // EMSGSIZE for what is larger
  REQUIRE(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  Channel ours{Descriptor(ends[0])};
  Channel theirs{Descriptor(ends[1])};
  CHECK(ours.send("first"));
  CHECK(ours.send(std::string(Channel::kMostPacket, 'x')));
  std::string frame;
  Descriptor fd;
  CHECK(theirs.receive(frame, fd));
  CHECK(frame == "first");
  CHECK(!theirs.receive(frame, fd));
  CHECK(!ours.receive(frame, fd));
}
