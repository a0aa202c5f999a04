// Channel: frames between two processes over a socketpair of SOCK_SEQPACKET, each with at most one
// descriptor.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace patchbay::isolated {

class Channel {
 public:
  static constexpr size_t kMostBytes = 128 * 1024;  // a packet must fit into the socket's buffer
  static constexpr size_t kMostQueued = 4096;

  // Takes the descriptor.
  explicit Channel(int fd);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // [any] Never blocks: what the socket does not take waits in a queue for the channel's thread. False: the
  // frame is larger than kMostBytes. A peer that lets kMostQueued frames wait is given up. `fd` stays the
  // caller's.
  bool send(std::string frame, int fd = -1);
  // [one thread] Waits for the next frame. False at the end. `fd` is -1 or the caller's to close.
  bool receive(std::string& frame, int& fd);
  // [any] Nothing more is sent; the peer reads the end after what was sent before.
  void finish();

 private:
  struct Packet {
    std::string frame;
    int fd;
  };
  // False: try again later.
  bool transmit(const Packet& packet, int flags) const;
  void write_queue();

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> queue_;
  bool finished_ = false;
  std::thread writer_;
};

}  // namespace patchbay::isolated
