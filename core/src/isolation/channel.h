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
  explicit Channel(Descriptor socket);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // [any] Never blocks: what the socket does not accept is queued for the channel's thread. False: the frame
  // is larger than kMaxFrameBytes, or there is no memory for it. Shuts the socket down when more than
  // kMaxQueuedFrames or kMaxQueuedFrameBytes wait for the peer. The caller keeps `fd`.
  bool send(std::string frame, int fd = -1);
  // [any] Number of queued frames; callers drop what may be lost when there are many.
  size_t waiting() const;
  // [one thread] Waits for the next frame. False at the end, and when nothing is left to read after the exit
  // of the process with that pidfd, because another process may still hold the peer's socket. A malformed
  // packet is returned as an invalid frame.
  bool receive(std::string& frame, Descriptor& fd, int pidfd = -1);
  // [any] Ends the channel at once, in both directions.
  void shutdown() noexcept;
  // [any] Sends nothing more; the peer reads the frames sent before, and then the end.
  void finish();
  bool finished() const;

 private:
  struct Packet {
    std::string bytes;
    Descriptor fd;
    size_t weight = 0;  // bytes held by it, in memory files too
  };
  // False: nothing is left to read, and the process has exited.
  bool wait_readable(int pidfd) const;
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
