// A bad network in user space, because the kernel has no netem: a TUN device whose packets a thread loses,
// delays and sends back. Whatever is sent to kFarIp arrives, from kFarIp, at the same port of kNearIp, so
// both ends of a call are programs here.
//
// Needs CAP_NET_ADMIN in its network namespace (OwnNetwork). Only RTP is lost, delayed and changed, by a
// seeded random sequence.
#pragma once

#include <patchbay/descriptor.h>
#include <patchbay/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace patchbay::test {

class LossyNetwork {
 public:
  static constexpr char kNearIp[] = "10.99.0.1";
  static constexpr char kFarIp[] = "10.99.0.2";

  struct Conditions {
    double loss = 0;         // share of packets
    int64_t jitter_us = 0;   // delay between 0 and this, so that packets overtake each other
    uint32_t ssrc_mask = 0;  // changed bits of the SSRC
  };
  static Result<std::unique_ptr<LossyNetwork>> open(uint32_t seed);
  ~LossyNetwork();

  void set(const Conditions& conditions);
  uint64_t lost() const;

 private:
  using Packet = std::vector<uint8_t>;
  // What is added to the numbers of a stream, so that they wrap around soon after its begin.
  struct Offsets {
    uint16_t sequence;
    uint32_t timestamp;
  };
  LossyNetwork(Descriptor device, Descriptor wake, uint32_t seed);
  void run();
  void take(Packet packet);
  void send_due();
  void change(uint8_t* rtp, uint8_t* udp);

  Descriptor device_;
  Descriptor wake_;           // ends run()
  mutable std::mutex mutex_;  // guards the next two
  Conditions conditions_;
  uint64_t lost_ = 0;
  std::mt19937 random_;
  std::multimap<int64_t, Packet> waiting_;  // by the time when it is sent back, in microseconds
  std::map<uint32_t, Offsets> offsets_;     // by SSRC
  std::thread thread_;
};

}  // namespace patchbay::test
