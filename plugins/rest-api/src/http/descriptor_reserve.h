// Spare descriptors of a listener for when the process has used up its limit: the listener closes one right
// before it accepts a client. One thread.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace patchbay::rest_api {

class DescriptorReserve {
 public:
  explicit DescriptorReserve(size_t max) : max_(max) { refill(); }
  ~DescriptorReserve() {
    while (release_one()) {
    }
  }
  DescriptorReserve(const DescriptorReserve&) = delete;
  DescriptorReserve& operator=(const DescriptorReserve&) = delete;

  // Closes one. False: none is left.
  bool release_one() noexcept {
    if (spare_.empty()) return false;
    ::close(spare_.back());
    spare_.pop_back();
    return true;
  }
  // Opens as many as are missing and the process may have.
  void refill() {
    while (spare_.size() < max_) {
      const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (fd < 0) return;
      spare_.push_back(fd);
    }
  }

 private:
  const size_t max_;
  std::vector<int> spare_;
};

}  // namespace patchbay::rest_api
