// HintedPoll: looks regularly for what other processes on the database have changed, and at once when one
// gives a hint: when a statement of the plugin that is marked `-- notify` has changed rows there. Hints
// arrive within milliseconds, but may be lost. Main strand.
#pragma once

#include <patchbay/bus.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <utility>

namespace patchbay::lib {

class HintedPoll {
 public:
  // look() begins a look. Call looked() when it has ended; within look(), too.
  HintedPoll(const Host& host, int64_t interval_ms, Function<void()> look)
      : host_(&host), interval_ms_(interval_ms), look_(std::move(look)), timer_(host) {}

  // Looks for the first time after an interval.
  void start() {
    auto opened = Subscription::open(*host_, "core.store.changed", [this](const Event& event) {
      if (event.subject() == host_->plugin_id()) hint();
    });
    if (opened) hints_ = *std::move(opened);
    if (!opened) Log(*host_).warn("no hints of other processes", {{"why", opened.error().text}});
    schedule();
  }
  void stop() {
    stopped_ = true;
    hints_ = Subscription();
    timer_.cancel();
  }
  // Looks at once. start() opens the hints of other processes.
  void hint() {
    if (!looking_) return begin(true);
    looks_again_ = true;  // what the running look has read may be older
  }
  void looked() {
    looking_ = false;
    if (stopped_) return;
    if (std::exchange(looks_again_, false)) return begin(true);
    schedule();
  }
  // Whether a hint began the running look; otherwise it was time for one.
  bool was_hinted() const { return was_hinted_; }

 private:
  void schedule() {
    timer_.after_ms(interval_ms_, [this] { begin(false); });
  }
  void begin(bool by_hint) {
    timer_.cancel();
    looking_ = true;
    was_hinted_ = by_hint;
    look_();
  }

  // borrowed
  const Host* host_;
  // owned
  const int64_t interval_ms_;
  const Function<void()> look_;
  // state
  bool looking_ = false;
  bool looks_again_ = false;
  bool was_hinted_ = false;
  bool stopped_ = false;
  Subscription hints_;
  Timer timer_;
};

}  // namespace patchbay::lib
