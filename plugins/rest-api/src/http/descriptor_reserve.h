// Descriptors that a listener keeps for times when the process has none left, whoever used them up: it gives
// one up right before it accepts a client. One thread.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace patchbay::rest_api {

class DescriptorReserve {
 public:
  explicit DescriptorReserve(size_t most) : most_(most) { refill(); }
  ~DescriptorReserve() {
    while (give_up_one()) {
    }
  }
  DescriptorReserve(const DescriptorReserve&) = delete;
  DescriptorReserve& operator=(const DescriptorReserve&) = delete;

  // False: there are none left.
  bool give_up_one() noexcept {
    if (spare_.empty()) return false;
    ::close(spare_.back());
    spare_.pop_back();
    return true;
  }
  // Takes as many as are free and wanted.
  void refill() {
    while (spare_.size() < most_) {
      const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (fd < 0) return;
      spare_.push_back(fd);
    }
  }

 private:
  const size_t most_;
  std::vector<int> spare_;
};

}  // namespace patchbay::rest_api
