#include <patchbay/plugin.h>
#include <patchbay/services/answerer.h>
#include <patchbay/services/audio.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace patchbay;
using telephony::Leg;
using telephony::LegListener;

// An inbound call and the outbound call that it is bridged with.
class Pair {
 public:
  Pair(const Host& host, const telephony::Offer& offer, Function<void()> ended)
      : offer_(offer), ended_(std::move(ended)), telephony_(host), audio_(host), in_(host), out_(host) {
    listen(in_);
    listen(out_);
    in_.on(LegListener::answered, [this](const telephony::Answered& what) -> Result<Empty> {
      audio_.call(audio::Audio::join, {what.port, far_port_, offer_.call_id}, [](const auto&) {});
      return Empty{};
    });
    out_.on(LegListener::answered, [this](const telephony::Answered& what) -> Result<Empty> {
      far_port_ = what.port;
      leg_.send(Leg::answer, {});
      return Empty{};
    });
    leg_ = Lease<Leg>::open(host, offer.leg);
  }
  Handle listener() { return in_.handle(); }
  void dial() {
    telephony::Dial request;
    request.call_id = offer_.call_id + "-out";
    request.tenant = offer_.tenant;
    request.number = offer_.did;
    request.listener = out_.handle();
    telephony_.call(telephony::Telephony::dial, request, [this](const Result<telephony::Dialled>& dialled) {
      if (!dialled) leg_.send(Leg::reject, {480, dialled.error().text});
    });
  }

 private:
  // The withdrawn listener ends the other leg.
  void listen(Provision<LegListener>& listener) {
    listener.on(LegListener::progress, [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
        .on(LegListener::digit, [](const telephony::Digit&) -> Result<Empty> { return Empty{}; })
        .on(LegListener::ended, [this](const telephony::Ended&) -> Result<Empty> {
          ended_();
          return Empty{};
        });
  }

  const telephony::Offer offer_;
  const Function<void()> ended_;
  Service<telephony::Telephony> telephony_;
  Service<audio::Audio> audio_;
  Provision<LegListener> in_, out_;
  Lease<Leg> leg_;
  Handle far_port_;
};

class Bridge final : public Plugin {
  Status start(const Config&) override {
    answerer_.emplace(
        host(), "bridge", 10, [this](const telephony::Offer& offer, Reply<telephony::Taken> reply) {
          const std::string& id = offer.call_id;
          auto& pair = pairs_[id] = std::make_unique<Pair>(
              host(), offer, [this, id] { post(host(), kMainStrand, [this, id] { pairs_.erase(id); }); });
          reply(telephony::Taken{pair->listener(), 0, ""});
          pair->dial();
        });
    return {};
  }

  std::map<std::string, std::unique_ptr<Pair>> pairs_;
  std::optional<telephony::AnswererRegistration> answerer_;
};

}  // namespace

PATCHBAY_PLUGIN(Bridge)
