#include "channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace patchbay::isolated {

Channel::Channel(int fd) : fd_(fd), writer_([this] { write_queue(); }) {}

Channel::~Channel() {
  ::shutdown(fd_, SHUT_RDWR);
  finish();
  writer_.join();
  ::close(fd_);
}

bool Channel::transmit(const Packet& packet, int flags) const {
  iovec part{const_cast<char*>(packet.frame.data()), packet.frame.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (packet.fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &packet.fd, sizeof(int));
  }
  while (::sendmsg(fd_, &message, MSG_NOSIGNAL | flags) < 0) {
    if (errno == EAGAIN) return false;
    if (errno != EINTR) break;  // the reader sees the end
  }
  return true;
}

bool Channel::send(std::string frame, int fd) {
  if (frame.size() > kMostBytes) return false;
  Packet packet{std::move(frame), fd};
  const std::lock_guard lock(mutex_);
  if (finished_) return true;
  if (queue_.empty() && transmit(packet, MSG_DONTWAIT)) return true;
  if (fd >= 0) packet.fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  queue_.push_back(std::move(packet));
  if (queue_.size() > kMostQueued) ::shutdown(fd_, SHUT_RDWR);
  changed_.notify_one();
  return true;
}

void Channel::write_queue() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return finished_ || !queue_.empty(); });
    if (queue_.empty()) break;
    const Packet& front = queue_.front();  // stays where it is: a deque grows at its end
    lock.unlock();
    transmit(front, 0);
    if (front.fd >= 0) ::close(front.fd);
    lock.lock();
    queue_.pop_front();
  }
  ::shutdown(fd_, SHUT_WR);
}

bool Channel::receive(std::string& frame, int& fd) {
  frame.resize(kMostBytes);
  iovec part{frame.data(), frame.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = -1;
  do {
    size = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  fd = -1;
  if (const cmsghdr* head = size >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
      head != nullptr && head->cmsg_type == SCM_RIGHTS)
    std::memcpy(&fd, CMSG_DATA(head), sizeof(int));
  if (size <= 0) return false;
  frame.resize(static_cast<size_t>(size));
  return true;
}

void Channel::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_one();
}

}  // namespace patchbay::isolated
