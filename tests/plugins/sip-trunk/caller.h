// Caller: a DialogListener that records the events of a call, and lets the test wait for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stack/sip_stack.h"

namespace patchbay::test {

class Caller final : public sip_trunk::DialogListener {
 public:
  using DialogId = sip_trunk::DialogId;

  void on_progress(DialogId, int status, std::string_view sdp, std::string_view) override {
    const std::lock_guard lock(mutex_);
    progress_.push_back(status);
    early_sdp_ = sdp;
    changed_.notify_all();
  }
  void on_answered(DialogId, std::string_view sdp, std::string_view peer_ip) override {
    const std::lock_guard lock(mutex_);
    answer_ = std::string(sdp);
    peer_ip_ = peer_ip;
    changed_.notify_all();
  }
  std::string on_reoffer(DialogId, std::string_view sdp) override {
    const std::lock_guard lock(mutex_);
    reoffers_.emplace_back(sdp);
    changed_.notify_all();
    return reanswer;
  }
  void on_reanswer(DialogId, std::string_view) override {
    const std::lock_guard lock(mutex_);
    ++reanswers_;
    changed_.notify_all();
  }
  void on_info_digit(DialogId, char digit) override {
    const std::lock_guard lock(mutex_);
    info_digits_ += digit;
  }
  void on_reoffer_answered(DialogId, int status, std::string_view sdp) override {
    const std::lock_guard lock(mutex_);
    reoffer_answers_.push_back(std::to_string(status) + (sdp.empty() ? "" : " SDP"));
    changed_.notify_all();
  }
  void on_refer(DialogId, const sip_trunk::ReferStep& step) override {
    constexpr const char* kKinds[] = {"accepted", "rings", "reported", "unreported", "refused"};
    const std::lock_guard lock(mutex_);
    refer_steps_.push_back(std::string(kKinds[static_cast<int>(step.kind)]) + " " +
                           std::to_string(step.status) + " " + step.text);
    changed_.notify_all();
  }
  void on_ended(DialogId, const sip_trunk::DialogEnd& ended) override {
    const std::lock_guard lock(mutex_);
    ++ended_count_;
    ended_ = ended;
    changed_.notify_all();
  }

  std::string info_digits() {
    const std::lock_guard lock(mutex_);
    return info_digits_;
  }
  bool wait_answered() {
    return wait([this] { return answer_.has_value(); });
  }
  bool wait_reanswers(int count) {
    return wait([this, count] { return reanswers_ >= count; });
  }
  bool wait_answered_or_ended() {
    return wait([this] { return answer_.has_value() || ended_.has_value(); });
  }
  bool wait_progress(int status) {
    return wait([this, status] { return !progress_.empty() && progress_.back() == status; });
  }
  sip_trunk::DialogEnd wait_ended() {
    (void)wait([this] { return ended_.has_value(); });
    const std::lock_guard lock(mutex_);
    return ended_.value_or(
        sip_trunk::DialogEnd{sip_trunk::EndReason::transport, -1, "the test waited in vain", ""});
  }

  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), condition);
  }
  bool ended() const { return locked(ended_).has_value(); }
  int ended_count() const { return locked(ended_count_); }
  std::string answer() const { return locked(answer_).value_or(""); }
  std::string early_sdp() const { return locked(early_sdp_); }
  std::string peer_ip() const { return locked(peer_ip_); }
  std::vector<std::string> reoffers() const { return locked(reoffers_); }
  int reanswers() const { return locked(reanswers_); }
  // The latest answer to our re-INVITE, "200 SDP"; waits for as many as `count`.
  std::string wait_reoffer_answer(size_t count) {
    (void)wait([this, count] { return reoffer_answers_.size() >= count; });
    const std::lock_guard lock(mutex_);
    return reoffer_answers_.empty() ? "" : reoffer_answers_.back();
  }
  // The step of our REFER with this number, from 1: "reported 486 Busy Here".
  std::string wait_refer_step(size_t number) {
    (void)wait([this, number] { return refer_steps_.size() >= number; });
    const std::lock_guard lock(mutex_);
    return refer_steps_.size() >= number ? refer_steps_[number - 1] : "";
  }
  std::vector<int> progress() const { return locked(progress_); }

  std::string reanswer;  // set before the call

 private:
  template <class T>
  T locked(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> progress_;
  std::string early_sdp_;
  std::string info_digits_;
  std::optional<std::string> answer_;
  std::string peer_ip_;
  std::vector<std::string> reoffers_;
  int reanswers_ = 0;
  std::vector<std::string> reoffer_answers_;
  std::vector<std::string> refer_steps_;
  std::optional<sip_trunk::DialogEnd> ended_;
  int ended_count_ = 0;
};

inline const char kOffer[] =
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0 8 "
    "101\r\n"
    "a=rtpmap:101 telephone-event/8000\r\n";

// Starts a stack on the loopback interface with a patient silence time-out, unless `options` say otherwise.
inline Result<std::unique_ptr<sip_trunk::SipStack>> start_stack(sip_trunk::SipStack::Options options = {}) {
  if (options.listen_ip.empty()) options.listen_ip = "127.0.0.1";
  if (options.silence_timeout_ms == 0) options.silence_timeout_ms = 5000;
  return sip_trunk::SipStack::start(options);
}

inline sip_trunk::OutboundCall call_to(uint16_t port) {
  sip_trunk::OutboundCall call;
  call.trunk.host = "127.0.0.1";
  call.trunk.port = port;
  call.trunk.caller_id = "+4930111111";
  call.number = "+493012345678";
  call.display_name = "Test";
  call.call_id = "call-0123456789ab";
  call.offer = kOffer;
  call.no_answer_timeout_ms = 45'000;
  return call;
}

// False when it is not met in 30 s.
inline bool wait_until(const std::function<bool()>& is_met) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_met()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Waits until no dialog holds a sofia-sip handle.
inline bool wait_no_handles(const sip_trunk::SipStack& stack) {
  return wait_until([&] { return stack.live_handles() == 0; });
}

}  // namespace patchbay::test
