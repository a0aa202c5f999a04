#include "isolation/media/bell.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace patchbay::core::isolation {
namespace {

// A message of one byte with one descriptor.
struct Message {
  Message() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
};

bool is_stream_of_this_machine(int fd) {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
         ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

Result<std::pair<Bell, Descriptor>> Bell::create(int attached) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {Code::exhausted, "no socket"};
  Descriptor ours(ends[0]), theirs(ends[1]);
  Message message;
  cmsghdr* const first = CMSG_FIRSTHDR(&message.header);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(sizeof attached);
  std::memcpy(CMSG_DATA(first), &attached, sizeof attached);
  if (::sendmsg(ours.get(), &message.header, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
    return {Code::exhausted, "no socket"};
  return std::pair(Bell(std::move(ours)), std::move(theirs));
}

Result<std::pair<Bell, Descriptor>> Bell::accept(Descriptor socket) {
  Message message;
  Descriptor attached;
  const Error invalid{Code::invalid, "not the bell of a port"};
  if (!socket || !is_stream_of_this_machine(socket.get()) ||
      ::recvmsg(socket.get(), &message.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
    return invalid;
  const cmsghdr* const first = CMSG_FIRSTHDR(&message.header);
  if (first == nullptr || first->cmsg_level != SOL_SOCKET || first->cmsg_type != SCM_RIGHTS ||
      first->cmsg_len != CMSG_LEN(sizeof(int)))
    return invalid;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(first), sizeof fd);
  return std::pair(Bell(std::move(socket)), Descriptor(fd));
}

// What the socket does not take is not needed: it is full of calls that the other side has not answered.
void Bell::ring(std::atomic<uint32_t>& rung) noexcept {
  if (rung.exchange(1, std::memory_order_acq_rel) != 0) return;
  const char byte = 0;
  static_cast<void>(::send(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL));
}

bool Bell::answer(std::atomic<uint32_t>& rung) noexcept {
  std::array<char, 64> bytes;
  const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  rung.exchange(0, std::memory_order_acq_rel);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace patchbay::core::isolation
