// Bell: wakes up the media loop of the other process, which watches its end, when a frame waits in a ring. A
// stream socket, because each side sets by itself that no call of it blocks: the flags of an eventfd are
// shared, so that a child could make the server wait.
#pragma once

#include <patchbay/descriptor.h>
#include <patchbay/result.h>

#include <atomic>
#include <utility>

namespace patchbay::core::isolation {

class Bell {
 public:
  // The child's end, and the socket to send to the server, with `attached` inside.
  static Result<std::pair<Bell, Descriptor>> create(int attached);
  // The server's end, from a child, and the descriptor that came inside. Error: not such a socket.
  static Result<std::pair<Bell, Descriptor>> accept(Descriptor socket);

  int fd() const noexcept { return socket_.get(); }
  // [media] Wakes up the other side, unless it will look at the ring anyway: `rung` is in the ring.
  void ring(std::atomic<uint32_t>& rung) noexcept;
  // [media] Call when the socket is readable, before the ring is read. False: the other side is gone.
  bool answer(std::atomic<uint32_t>& rung) noexcept;

 private:
  explicit Bell(Descriptor socket) : socket_(std::move(socket)) {}
  Descriptor socket_;
};

}  // namespace patchbay::core::isolation
