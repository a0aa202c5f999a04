// Channel: frames between two processes over a socketpair of SOCK_SEQPACKET, each with at most one
// descriptor. A frame that no packet would hold travels in a memory file of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "isolation/descriptor.h"

namespace patchbay::core::isolation {

class Channel {
 public:
  static constexpr size_t kMostPacket = 128 * 1024;  // must fit into the socket's buffer
  static constexpr size_t kMostFrame = 16u << 20;
  // More than all answers that a peer may wait for at once, by the limits of the tables.
  static constexpr size_t kMostQueued = 65536;
  static constexpr size_t kMostQueuedBytes = 64u << 20;

  explicit Channel(Descriptor socket);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // [any] Never blocks: what the socket does not take waits in a queue for the channel's thread. False: the
  // frame is larger than kMostFrame, or there is no memory for it. A peer that lets kMostQueued frames or
  // kMostQueuedBytes wait is given up. `fd` stays the caller's.
  bool send(std::string frame, int fd = -1);
  // [any] Frames that wait; what may be lost is better not added to many.
  size_t waiting() const;
  // [one thread] Waits for the next frame. False at the end. A packet that cannot be one comes as one that
  // makes no sense.
  bool receive(std::string& frame, Descriptor& fd);
  // [any] Nothing more is sent; the peer reads the end after what was sent before.
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
