#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "carried.h"

namespace patchbay::carried {
namespace {

class EchoPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void push(const pb_frame& in) noexcept override {
    if ((in.flags & PB_FRAME_SILENCE) == 0 && in.samples > 0) last_ = in.pcm[0];
  }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    std::fill_n(out.pcm, out.samples, static_cast<int16_t>(last_ + 1));
  }
  void attached(uint32_t) noexcept override { last_ = 0; }

 private:
  int16_t last_ = 0;  // [media]
};

class CarriedPlugin final : public Plugin {
  Status start(const Config& config) override {
    const std::string why(config.plugin().text("refuse", ""));
    if (!why.empty()) return {Code::unavailable, why};
    PB_TRY_VALUE(ping_, Subscription::open(host(), "test.ping", [this](const Event& event) {
                   log().with(event.correlation()).info("ping", {{"subject", event.subject()}});
                   JsonWriter data;
                   data.object().member("to", event.tenant()).end();
                   publish(host(), {"test.pong", std::string(event.tenant()), std::string(event.subject()),
                                    "", data.str()});
                 }));
    service_ = std::make_unique<Provision<Carried>>(host());
    service_
        ->on(Carried::say, [this](Say say, Reply<Said> reply) { answer(std::move(say), std::move(reply)); })
        .on(Carried::never, [this](Say, Reply<Said> reply) { kept_.push_back(std::move(reply)); })
        .on(Carried::port,
            [this](Empty) -> Result<PortOf> {
              if (!port_.handle()) port_.open(host());
              return PortOf{port_.handle()};
            })
        .on(Carried::close_port,
            [this](Empty, Reply<Empty> reply) {
              port_.close([reply = std::move(reply)]() mutable { reply(Empty{}); });
            })
        .on(Carried::say_inline, [](Say say) -> Result<Said> { return said(say, say.text); });
    return service_->publish();
  }

  void stop(Done done) override {
    kept_.clear();
    service_.reset();
    ping_ = {};
    if (!port_.handle()) return done();
    port_.close([done = std::move(done)]() mutable { done(); });
  }

  static Said said(const Say& say, std::string text) {
    return {std::move(text), say.number + 1, say.ratio * 2, say.bytes, ::getpid()};
  }

  void answer(Say say, Reply<Said> reply) {
    if (say.number < 0) return reply.fail({Code::invalid, "the number is negative"});
    const std::string text = say.text + (say.loud ? "!" : "");
    if (!say.listener) return reply(said(say, text));
    lease_ = Lease<Listener>::open(host(), say.listener);
    lease_.call(Listener::told, said(say, text), [say, reply = std::move(reply)](Result<Said> told) mutable {
      if (!told) return reply.fail(told.error());
      reply(said(say, told->text));
    });
  }

  std::unique_ptr<Provision<Carried>> service_;
  Lease<Listener> lease_;
  std::vector<Reply<Said>> kept_;
  Subscription ping_;
  EchoPort port_;
};

}  // namespace
}  // namespace patchbay::carried

PATCHBAY_PLUGIN(patchbay::carried::CarriedPlugin)
