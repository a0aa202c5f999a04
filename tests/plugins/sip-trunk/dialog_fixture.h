// One stack, its DialogLog and one peer that the test plays, for tests of single dialogs.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "caller.h"
#include "raw_peer.h"

namespace patchbay::test {

// Records what the stack reports to DialogLog.
class RecordingLog final : public sip_trunk::DialogLog {
 public:
  void dialog_up(const sip_trunk::StoredDialog& dialog) override {
    const std::lock_guard lock(mutex_);
    up_.push_back(dialog);
  }
  void dialog_down(const sip_trunk::StoredDialog& dialog, bool confirmed) override {
    const std::lock_guard lock(mutex_);
    unconfirmed_ += confirmed ? 0 : 1;
    down_.push_back(dialog.from);
  }
  std::vector<sip_trunk::StoredDialog> up() const {
    const std::lock_guard lock(mutex_);
    return up_;
  }
  int unconfirmed() const {
    const std::lock_guard lock(mutex_);
    return unconfirmed_;
  }
  bool wait_down(size_t count) const {
    for (int i = 0; i < 3000; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (down_.size() >= count) return down_.size() == count;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<sip_trunk::StoredDialog> up_;
  std::vector<std::string> down_;
  int unconfirmed_ = 0;
};

// A stack and one peer that the test plays.
struct DialogFixture {
  void start(sip_trunk::SipStack::Options options = {}) {
    options.log = &log;
    stack = *start_stack(options);
    us = "sip:us@127.0.0.1:" + std::to_string(stack->port());
  }
  // Dials, and returns the INVITE that the peer receives.
  std::string dial(sip_trunk::OutboundCall call) {
    auto dialled = stack->dial(std::move(call), caller);
    REQUIRE(dialled);
    id = *dialled;
    return peer.receive("INVITE ");
  }
  void answer(const std::string& invite, const std::string& contact, const std::string& more = "",
              const std::string& body = kOffer) {
    peer.send(stack->port(), answer_to(invite, "200 OK", contact, more, body));
  }
  void say(const std::string& request, const std::string& status) {
    peer.send(stack->port(), answer_to(request, status));
  }
  std::string contact() const { return "sip:" + peer.address(); }

  RecordingLog log;
  Caller caller;
  RawPeer peer;
  std::unique_ptr<sip_trunk::SipStack> stack;
  std::string us;
  sip_trunk::DialogId id = 0;
};

}  // namespace patchbay::test
