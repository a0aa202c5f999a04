// A plugin in the server's process that calls the callee plugin, wherever that runs.
#pragma once

#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/end_watch.h>
#include <patchbay/plugin.h>
#include <patchbay/services/audio.h>

#include <atomic>
#include <memory>
#include <string>

#include "callee-plugin/callee.h"
#include "stamp_probe.h"
#include "support/promise.h"

namespace patchbay::isolated {

// Produces kSaid in every sample and records the last sample pushed to it.
class ProbePort final : public AudioPort {
 public:
  static constexpr int16_t kSaid = 2000;
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void pull(pb_frame& out) noexcept override;
  void push(const pb_frame& in) noexcept override;

  std::atomic<int16_t> heard{0};
};

class Caller final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "caller", "version": "1.0.0", "optional": ["test.callee/1", "patchbay.audio/1"]})";
  static constexpr char store_sql[] = "";
  static Caller* current;  // the instance in the running server

  Status start(const Config&) override;
  void stop(Done done) override;

  // Called on the test's thread; each waits at most a minute.
  template <class M>
  Result<typename M::Reply> call(M method, typename M::Request request) {
    auto answer = std::make_shared<test::Promise<Result<typename M::Reply>>>();
    begin(method, std::move(request), answer);
    auto came = answer->get();
    return came ? std::move(*came) : Result<typename M::Reply>(Code::timeout, "no answer in a minute");
  }
  template <class M>
  void begin(M method, typename M::Request request,
             std::shared_ptr<test::Promise<Result<typename M::Reply>>> answer) {
    post(host(), kMainStrand, [this, method, request = std::move(request), answer = std::move(answer)] {
      service_->call(method, request, [answer](auto result) { answer->set(std::move(result)); });
    });
  }
  Handle listener() const noexcept { return listener_handle_; }
  Result<audio::Joined> join(Handle port) { return join(port, probe); }
  Result<audio::Joined> join(Handle port, AudioPort& with);
  bool leave(audio::Joined joined);
  // Joins the port with a new probe, and leaves it and closes the probe.
  Result<audio::Joined> join_stamps(Handle port, bool paced);
  bool leave_stamps(audio::Joined joined);
  void publish_event(const NewEvent& event) { publish(host(), event); }
  void drop_listener();  // withdraws listener()
  void watch_port(Handle port);
  bool up() const noexcept { return up_; }
  int changes() const noexcept { return changes_; }  // number of calls of on_change()

  test::Promise<std::string> pong;
  ProbePort probe;
  std::unique_ptr<StampProbe> stamps;
  std::atomic<bool> caller_gone{false};  // the plugin that last called the listener has ended
  std::atomic<bool> port_gone{false};    // the port of watch_port() has ended

 private:
  std::unique_ptr<Service<callee::Callee>> service_;
  std::unique_ptr<Service<audio::Audio>> audio_;
  std::unique_ptr<Provision<callee::Listener>> listener_;
  Handle listener_handle_;
  Subscription heard_;
  EndWatch caller_end_;
  EndWatch port_gone_;
  std::atomic<bool> up_{false};
  std::atomic<int> changes_{0};
};

}  // namespace patchbay::isolated
