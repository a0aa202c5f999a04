#include "isolation/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "isolation/frame.h"
#include "isolation/limits.h"

namespace patchbay::core::isolation {
namespace {

Descriptor memory_file(std::string_view bytes) {
  Descriptor file(::memfd_create("patchbay-frame", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (file && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return {};
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return file;
}

// Reads by pread and maps nothing: if the peer shrinks the file meanwhile, the read is only short. Checks for
// seals, which only memory files have, because reading another file could block.
bool read_memory_file(const Descriptor& file, uint64_t size, std::string& frame) {
  if (!file || size > kMaxFrameBytes || ::fcntl(file.get(), F_GET_SEALS) < 0) return false;
  frame.resize(size);
  size_t at = 0;
  while (at < size) {
    const ssize_t got = ::pread(file.get(), frame.data() + at, size - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<size_t>(got);
  }
  return true;
}

// Returns the descriptor that came with the message; none when there are several. Closes those: the control
// buffer has room for two because of its alignment, and the kernel has already installed them.
Descriptor received_descriptor(msghdr& message) {
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return {};
  const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  Descriptor first;
  for (size_t i = 0; i < count; ++i) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(head) + i * sizeof number, sizeof number);
    Descriptor received(number);
    if (i == 0) first = std::move(received);
  }
  return count == 1 ? std::move(first) : Descriptor();
}

}  // namespace

Channel::Channel(Descriptor socket)
    : socket_(std::move(socket)), packet_(kMaxPacketBytes, '\0'), writer_([this] { write_queue(); }) {}

Channel::~Channel() {
  ::shutdown(socket_.get(), SHUT_RDWR);
  finish();
  writer_.join();
}

bool Channel::transmit(const Packet& packet, int flags) const {
  iovec part{const_cast<char*>(packet.bytes.data()), packet.bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (packet.fd) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = packet.fd.get();
    std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  }
  while (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | flags) < 0) {
    if (errno == EAGAIN) return false;
    if (errno == EINTR) continue;
    // Ends the channel for both sides instead of leaving the frame out (EMSGSIZE, ENOBUFS, ETOOMANYREFS),
    // because a peer that waits for it would otherwise wait for ever.
    ::shutdown(socket_.get(), SHUT_RDWR);
    return true;
  }
  return true;
}

bool Channel::send(std::string frame, int fd) {
  if (frame.size() > kMaxFrameBytes) return false;
  Packet packet;
  packet.weight = frame.size();
  if (frame.size() > kMaxPacketBytes) {
    packet.fd = memory_file(frame);
    if (!packet.fd) return false;
    packet.bytes = Encoder(Kind::large).u64(frame.size()).take();
  } else {
    packet.bytes = std::move(frame);
    if (fd >= 0) packet.fd = Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  }
  const std::lock_guard lock(mutex_);
  if (finished_) return true;
  if (queue_.empty() && transmit(packet, MSG_DONTWAIT)) return true;
  queued_bytes_ += packet.weight;
  queue_.push_back(std::move(packet));
  if (queue_.size() > kMaxQueuedFrames || queued_bytes_ > kMaxQueuedFrameBytes)
    ::shutdown(socket_.get(), SHUT_RDWR);
  changed_.notify_one();
  return true;
}

size_t Channel::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Channel::write_queue() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return finished_ || !queue_.empty(); });
    if (queue_.empty()) break;
    const Packet& front = queue_.front();  // stays valid without the lock: send() only appends
    lock.unlock();
    transmit(front, 0);
    lock.lock();
    queued_bytes_ -= front.weight;
    queue_.pop_front();
  }
  ::shutdown(socket_.get(), SHUT_WR);
}

void Channel::shutdown() noexcept { ::shutdown(socket_.get(), SHUT_RDWR); }

bool Channel::wait_readable(int pidfd) const {
  pollfd events[] = {{socket_.get(), POLLIN, 0}, {pidfd, POLLIN, 0}};
  while (::poll(events, 2, -1) < 0 && errno == EINTR) {
  }
  // Looks again: it may have sent and exited after the socket was looked at.
  return events[0].revents != 0 || ::poll(events, 1, 0) > 0;
}

bool Channel::receive(std::string& frame, Descriptor& fd, int pidfd) {
  iovec part{packet_.data(), packet_.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = -1;
  do {
    size = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0 && errno == EAGAIN && wait_readable(pidfd)) errno = EINTR;
  } while (size < 0 && errno == EINTR);
  fd = size >= 0 ? received_descriptor(message) : Descriptor();
  if (size <= 0) return false;
  const bool cut = (message.msg_flags & MSG_TRUNC) != 0;
  const std::string_view packet(packet_.data(), cut ? 0 : static_cast<size_t>(size));
  Decoder in(packet);
  if (in.kind() == Kind::large) {
    const Descriptor file = std::exchange(fd, Descriptor());
    const uint64_t whole = in.u64();
    if (in.whole() && read_memory_file(file, whole, frame)) return true;
  }
  frame.assign(packet);
  return true;
}

bool Channel::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

void Channel::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_one();
}

}  // namespace patchbay::core::isolation
