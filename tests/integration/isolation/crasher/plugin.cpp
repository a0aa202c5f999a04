// Uses many parts of the boundary: subscribes to every event, writes rows, has an audio port and a timer. On
// the event test.dial it dials its subject, with a listener; on test.dial-unheard without one; on test.crash
// it writes to an invalid address.
#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/service.h>
#include <patchbay/services/audio.h>
#include <patchbay/services/telephony.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>

namespace {

using namespace patchbay;

struct Crasher {
  static constexpr char id[] = "test.crasher/1";
  static constexpr Method<0, Empty, Empty> ask{"ask"};
  static constexpr auto methods() { return std::make_tuple(ask); }
};

class QuietPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void pull(pb_frame& out) noexcept override { out.flags |= PB_FRAME_SILENCE; }
  void push(const pb_frame&) noexcept override {}
};

class CrasherPlugin final : public Plugin {
  Status start(const Config&) override {
    add_ = Statement::find(host(), "add");
    PB_TRY_VALUE(heard_, Subscription::open(host(), "*", [this](const Event& event) {
                   if (event.topic() == "test.crash") *nowhere_ = 1;
                   if (event.topic() == "test.dial") dial(std::string(event.subject()), true);
                   if (event.topic() == "test.dial-unheard") dial(std::string(event.subject()), false);
                 }));
    offered_ = std::make_unique<Provision<Crasher>>(host());
    offered_->on(Crasher::ask, [](Empty) -> Result<Empty> { return Empty{}; });
    port_.open(host());
    write();
    return offered_->publish();
  }
  void stop(Done done) override {
    busy_.cancel();
    listener_.reset();
    offered_.reset();
    heard_ = {};
    port_.close([done = std::move(done)]() mutable { done(); });
  }

  void dial(const std::string& number, bool with_listener) {
    listener_ = std::make_unique<Provision<telephony::LegListener>>(host());
    listener_->on(telephony::LegListener::answered,
                  [this](const telephony::Answered& answered) -> Result<Empty> {
                    audio_.call(audio::Audio::join, {answered.port, port_.handle(), ""},
                                [](const Result<audio::Joined>&) {});
                    return Empty{};
                  });
    telephony::Dial request;
    request.call_id = "crasher";
    request.tenant = "localhost";
    request.number = number;
    if (with_listener) request.listener = listener_->handle();
    telephony_.call(telephony::Telephony::dial, request, [this](const Result<telephony::Dialled>& dialled) {
      if (!dialled) log().error("it could not dial", {{"why", dialled.error().text}});
    });
  }

  void write() {
    Transaction tx(host());
    tx.exec(add_, {"word"}, 1);
    tx.emit({"test.crasher.noted", "localhost", "note", "", "{}"});
    std::move(tx).commit([](const Commit&) {});
    busy_.after_ms(20, [this] { write(); });
  }

  int* volatile nowhere_ = nullptr;
  Statement add_;
  Subscription heard_;
  std::unique_ptr<Provision<Crasher>> offered_;
  Service<telephony::Telephony> telephony_{host()};
  Service<audio::Audio> audio_{host()};
  std::unique_ptr<Provision<telephony::LegListener>> listener_;
  QuietPort port_;
  Timer busy_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(CrasherPlugin)
