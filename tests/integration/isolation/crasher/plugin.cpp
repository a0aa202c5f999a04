// Busy with all that the boundary offers: hears every event, writes rows, has an audio port, a timer that
// never rests. On the event test.crash it writes to nowhere.
#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/service.h>
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
                 }));
    offered_ = std::make_unique<Provision<Crasher>>(host());
    offered_->on(Crasher::ask, [](Empty) -> Result<Empty> { return Empty{}; });
    port_.open(host());
    write();
    return offered_->publish();
  }
  void stop(Done done) override {
    busy_.cancel();
    offered_.reset();
    heard_ = {};
    port_.close([done = std::move(done)]() mutable { done(); });
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
  QuietPort port_;
  Timer busy_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(CrasherPlugin)
