// FakeCalls: patchbay.telephony.calls for tests of plugins that have access to other plugins' calls. The test
// says which calls there are, and is both of their sides.
//
//   FakeCalls calls(host);
//   calls.add("localhost", "oac-0123456789ab", "+4930123456");
//   ...                                                       // the plugin opens an access
//   const FakeAccess access = calls.last_access();
//   CHECK(access.request().hear == "both");
//   access.say(pcm);                                          // what the plugin hears
//   CHECK(access.heard() == advice);                          // what it says
//   calls.end("oac-0123456789ab");
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../services/calls.h"
#include "fake_port.h"
#include "test_environment.h"

namespace patchbay::testing {

namespace detail {

// Test's strand.
struct AccessState {
  AccessState(telephony::OpenAccess what, uint32_t rate_hz) : request(std::move(what)), port(rate_hz) {}
  void close() {
    if (!std::exchange(is_closed, true)) port.close([] {});
  }
  const telephony::OpenAccess request;
  FakePort port;
  bool is_closed = false;
};

}  // namespace detail

// One access. Copies are the same. Call every function on the test's thread; the audio moves while the test's
// clock is advanced and the plugin has joined the port (FakeAudio).
class FakeAccess {
 public:
  FakeAccess() = default;
  FakeAccess(const TestEnvironment& environment, detail::AccessState& state)
      : environment_(&environment), state_(&state) {}
  // Whether there is such an access.
  explicit operator bool() const noexcept { return state_ != nullptr; }

  telephony::OpenAccess request() const { return state_->request; }
  // What the plugin hears of the call, at 8 kHz.
  void say(const Pcm& pcm) const { state_->port.say(pcm); }
  // What it says to the call, at 8 kHz.
  Pcm heard() const { return state_->port.heard(); }
  bool is_closed() const {
    static_cast<void>(environment_->settle());
    return environment_->run([this] { return state_->is_closed; });
  }

 private:
  const TestEnvironment* environment_ = nullptr;
  detail::AccessState* state_ = nullptr;  // lives as long as the environment
};

// Call every function on the test's thread; each waits until the plugin is idle. Create it before the plugin
// is started; it must live as long as the host.
class FakeCalls {
 public:
  explicit FakeCalls(TestEnvironment& environment)
      : environment_(&environment), state_(&environment.make<State>(environment.host())) {
    static_cast<void>(environment.provide<telephony::Calls>(
        [state = state_](Provision<telephony::Calls>& provision) { state->fill(provision); }));
  }

  // An answered outbound call.
  void add(const std::string& tenant, const std::string& call_id, const std::string& number) const {
    environment_->run([&] { state_->calls.push_back({tenant, call_id, number}); });
  }
  // Ends it, with the accesses to it.
  void end(const std::string& call_id) const {
    environment_->run([&] { state_->end(call_id); });
    static_cast<void>(environment_->settle());
  }
  // From now on the configuration does not grant access, or does again.
  void deny(bool denied = true) const {
    environment_->run([&] { state_->is_denied = denied; });
  }
  // The accesses that the plugin opened, in order.
  std::vector<FakeAccess> accesses() const {
    static_cast<void>(environment_->settle());
    std::vector<FakeAccess> all;
    environment_->run([&] {
      for (const auto& [id, access] : state_->accesses) all.emplace_back(*environment_, *access);
    });
    return all;
  }
  // The latest of them; false if there is none.
  FakeAccess last_access() const {
    const auto all = accesses();
    return all.empty() ? FakeAccess() : all.back();
  }

 private:
  struct Call {
    std::string tenant, call_id, number;
  };
  // Test's strand.
  struct State {
    explicit State(const Host& to) : host(&to) {}

    void fill(Provision<telephony::Calls>& provision) {
      using telephony::Calls;
      provision.on(Calls::list, [this](const telephony::ListCalls& request) { return list(request.tenant); })
          .on(Calls::open, [this](const telephony::OpenAccess& request) { return open(request); })
          .on(Calls::close, [this](const telephony::CloseAccess& which) -> Result<Empty> {
            const auto at = accesses.find(which.access);
            if (at != accesses.end()) at->second->close();
            return Empty{};
          });
    }
    Status check() const {
      return is_denied ? Status(Code::denied, "the configuration does not grant it") : Status();
    }
    Result<telephony::CallList> list(const std::string& tenant) const {
      PB_TRY(check());
      JsonWriter json;
      json.array();
      for (const Call& call : calls) {
        if (call.tenant != tenant) continue;
        json.object().member("callId", call.call_id).member("direction", "outbound");
        json.member("number", call.number).member("did", "").member("state", "answered");
        json.member("trunk", "fake").member("startedMs", host->wall_ms()).end();
      }
      return telephony::CallList{json.end().str()};
    }
    Result<telephony::Access> open(const telephony::OpenAccess& request) {
      PB_TRY(check());
      bool is_known = false;
      for (const Call& call : calls)
        is_known = is_known || (call.tenant == request.tenant && call.call_id == request.call_id);
      if (!is_known) return Error{Code::not_found, "there is no such call"};
      const int64_t id = ++last_id;
      auto& access = accesses[id] = std::make_unique<detail::AccessState>(request, kRateHz);
      return telephony::Access{id, access->port.open(*host), kRateHz};
    }
    void end(const std::string& call_id) {
      for (auto at = calls.begin(); at != calls.end();)
        at = at->call_id == call_id ? calls.erase(at) : at + 1;
      for (const auto& [id, access] : accesses)
        if (access->request.call_id == call_id) access->close();
    }

    static constexpr uint32_t kRateHz = 8000;
    const Host* host;
    std::vector<Call> calls;
    std::map<int64_t, std::unique_ptr<detail::AccessState>> accesses;
    int64_t last_id = 0;
    bool is_denied = false;
  };

  TestEnvironment* environment_;
  State* state_;  // lives as long as the environment
};

}  // namespace patchbay::testing
