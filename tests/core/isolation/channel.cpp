#include "isolation/channel.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolation/limits.h"

using namespace patchbay::core::isolation;
using patchbay::Descriptor;

namespace {

std::pair<Descriptor, Descriptor> two_ends() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Sends to a peer that reads only afterwards; returns how many frames it then reads.
size_t sent_and_read(size_t frames, size_t size) {
  auto [here, there] = two_ends();
  Channel ours(std::move(here));
  Channel theirs(std::move(there));
  for (size_t i = 0; i < frames; ++i) CHECK(ours.send(std::string(size, 'x')));
  ours.finish();
  std::string frame;
  Descriptor fd;
  size_t read = 0;
  while (theirs.receive(frame, fd)) read += frame.size() == size ? 1 : 0;
  return read;
}

// Sends one packet with that many descriptors of a pipe's end, which only they keep open.
void send_with_descriptors(const Descriptor& socket, std::string_view packet, const std::vector<int>& fds) {
  alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
  iovec part{const_cast<char*>(packet.data()), packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(head), fds.data(), fds.size() * sizeof(int));
  REQUIRE(::sendmsg(socket.get(), &message, 0) == static_cast<ssize_t>(packet.size()));
}

}  // namespace

TEST_CASE("a packet with several descriptors leaves none of them open") {
  for (const size_t count : {2, 8}) {
    auto [here, there] = two_ends();
    Channel theirs(std::move(there));
    auto [kept, passed] = two_ends();
    send_with_descriptors(here, "packet", std::vector<int>(count, passed.get()));
    std::string frame;
    Descriptor fd;
    CHECK(theirs.receive(frame, fd));
    CHECK(frame == "packet");
    CHECK(!fd);
    passed = Descriptor();
    char byte = 0;
    CHECK(::recv(kept.get(), &byte, 1, MSG_DONTWAIT) == 0);  // the other end is closed everywhere
  }
}

TEST_CASE("what a process sent before its exit is read, and then the end, though another holds its socket") {
  for (int round = 0; round < 100; ++round) {
    auto [here, there] = two_ends();
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 3; ++i) ::send(there.get(), "frame", 5, 0);
      ::_exit(0);
    }
    const Descriptor exit(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    Channel ours(std::move(here));
    std::string frame;
    Descriptor fd;
    int read = 0;
    while (ours.receive(frame, fd, exit.get())) ++read;
    CHECK(read == 3);
    ::waitpid(child, nullptr, 0);
  }
}

TEST_CASE("frames that a peer does not read yet wait for it") {
  CHECK(sent_and_read(20'000, 10) == 20'000);
  CHECK(sent_and_read(500, 100'000) == 500);
}

TEST_CASE("a channel ends when too many frames or bytes wait for a peer that reads nothing") {
  CHECK(sent_and_read(kMaxQueuedFrames + 2000, 10) < kMaxQueuedFrames);
  constexpr size_t kSize = 100'000;
  CHECK(sent_and_read(kMaxQueuedFrameBytes / kSize + 50, kSize) < kMaxQueuedFrameBytes / kSize);
}

TEST_CASE("a frame that the socket refuses ends the channel instead of being left out") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const int small = 4096;  // EMSGSIZE for what is larger
  REQUIRE(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  Channel ours{Descriptor(ends[0])};
  Channel theirs{Descriptor(ends[1])};
  CHECK(ours.send("first"));
  CHECK(ours.send(std::string(kMaxPacketBytes, 'x')));
  std::string frame;
  Descriptor fd;
  CHECK(theirs.receive(frame, fd));
  CHECK(frame == "first");
  CHECK(!theirs.receive(frame, fd));
  CHECK(!ours.receive(frame, fd));
}
