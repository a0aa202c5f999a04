// SerialRefresh: reads something again, one reading at a time. A request during a reading gets the next one,
// because what the running one has read may be older than the request. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/result.h>

#include <utility>
#include <vector>

namespace patchbay::lib {

class SerialRefresh {
 public:
  // read() starts a reading; call end() when it has ended.
  explicit SerialRefresh(Function<void()> read) : read_(std::move(read)) {}

  // done(): with the status of a reading that began after this call.
  void request(Function<void(Status)> done) {
    next_.push_back(std::move(done));
    if (reading_) return;
    reading_ = true;
    begin();
  }
  void end(const Status& status) {
    auto waited = std::exchange(waiting_, {});
    reading_ = !next_.empty();
    if (reading_) begin();
    for (auto& done : waited) done(status);
  }

 private:
  void begin() {
    waiting_ = std::exchange(next_, {});
    read_();
  }

  Function<void()> read_;
  std::vector<Function<void(Status)>> waiting_;  // for the running reading
  std::vector<Function<void(Status)>> next_;     // for the one after it
  bool reading_ = false;
};

}  // namespace patchbay::lib
