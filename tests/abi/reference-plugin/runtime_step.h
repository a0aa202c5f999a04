#pragma once

#include <patchbay/strand.h>

#include "round.h"

namespace reference {

// Main strand -> another strand -> worker -> main strand -> timer.
class RuntimeStep final : public Step {
 public:
  explicit RuntimeStep(const Host& host) : host_(host), timer_(host), never_(host) {}
  void run(Next next) override {
    next_ = std::move(next);
    const Status here = on_main();
    if (!here) return next_(here);
    strand_ = std::make_unique<patchbay::Strand>(host_, "side");
    strand_->post([this] {
      seen_ = expect(strand_->is_current() && kind() == PB_THREAD_STRAND, "a task runs on its strand");
      strand_->close([this] { go_to_worker(); });
    });
  }

 private:
  uint32_t kind() const { return host_.runtime->thread_kind(host_.self); }
  Status on_main() const {
    REFERENCE_EXPECT(host_.plugin_id() == "reference-plugin");
    REFERENCE_EXPECT(host_.wall_ms() > 0 && host_.mono_ns() > 0);
    REFERENCE_EXPECT(kind() == PB_THREAD_STRAND);
    REFERENCE_EXPECT(host_.runtime->strand_is_current(host_.self, patchbay::kMainStrand) == 1);
    REFERENCE_EXPECT(host_.runtime->strand_post(
                         host_.self, ~uint64_t{0}, [](void*) noexcept {}, nullptr) == PB_E_GONE);
    return {};
  }
  void go_to_worker() {
    const Status posted = patchbay::post_worker(host_, [this] {
      if (seen_) seen_ = expect(kind() == PB_THREAD_WORKER, "a worker task runs on a worker thread");
      patchbay::run_on(host_, patchbay::kMainStrand, [this] { go_to_timer(); });
    });
    if (!posted) next_(posted);
  }
  void go_to_timer() {
    if (!seen_) return next_(seen_);
    never_.at_wall_ms(host_.wall_ms() + 3'600'000, [this] {
      next_({Code::failed, "a timer ran too early"});
    });
    timer_.after_ms(1, [this] {
      never_.cancel();
      next_({});
    });
  }

  const Host& host_;
  std::unique_ptr<patchbay::Strand> strand_;
  patchbay::Timer timer_, never_;
  Status seen_;
  Next next_;
};

}  // namespace reference
