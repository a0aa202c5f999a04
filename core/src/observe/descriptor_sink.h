// A spdlog sink that writes whole lines to a descriptor and never waits long for whoever reads it.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace patchbay::core::observe {

class DescriptorSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // Owns `fd` when `owned`.
  DescriptorSink(int fd, bool owned, std::chrono::milliseconds longest_wait);
  ~DescriptorSink() override;

  // Writes to `fd` from now on; closes the old one if it was owned.
  void replace(int fd);
  uint64_t dropped() const noexcept { return dropped_; }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  bool wait();

  int fd_;
  bool owned_;
  std::chrono::milliseconds longest_wait_;
  bool torn_ = false;     // the last line ended in its middle
  bool stalled_ = false;  // nobody reads: until somebody does, no line waits
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace patchbay::core::observe
