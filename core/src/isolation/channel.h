// Channel: frames between two processes over a socketpair of SOCK_SEQPACKET, each with at most one
// descriptor. A frame too large for a packet travels in a memory file.
#pragma once

#include <patchbay/descriptor.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace patchbay::core::isolation {

class Channel {
 public:
  static constexpr size_t kMaxPacket = 128 * 1024;  // must fit into the socket's buffer
  static constexpr size_t kMaxFrame = 16u << 20;
  // More than all answers that a peer may wait for at once, by the limits of the tables.
  static constexpr size_t kMaxQueued = 65536;
  static constexpr size_t kMaxQueuedBytes = 64u << 20;

  explicit Channel(Descriptor socket);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // [any] Never blocks: what the socket does not accept is queued for the channel's thread. False: the frame
  // is larger than kMaxFrame, or there is no memory for it. Shuts the socket down when more than kMaxQueued
  // frames or kMaxQueuedBytes wait for the peer. The caller keeps `fd`.
  bool send(std::string frame, int fd = -1);
  // [any] Number of queued frames; callers drop what may be lost when there are many.
  size_t waiting() const;
  // [one thread] Waits for the next frame. False at the end. A malformed packet is returned as an invalid
  // frame.
  bool receive(std::string& frame, Descriptor& fd);
  // [any] Sends nothing more; the peer reads the frames sent before, and then the end.
  void finish();
  bool finished() const;

 private:
  struct Packet {
    std::string bytes;
    Descriptor fd;
    size_t weight = 0;  // bytes held by it, in memory files too
  };
  // False: try again later.
  bool transmit(const Packet& packet, int flags) const;
  void write_queue();

  const Descriptor socket_;
  std::string packet_;  // of the reader
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> queue_;
  size_t queued_bytes_ = 0;
  bool finished_ = false;
  std::thread writer_;
};

}  // namespace patchbay::core::isolation
