#include "scripted_plugin.h"

#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/descriptor.h>
#include <patchbay/media_loop.h>
#include <patchbay/plugin.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>
#include <sys/eventfd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace patchbay::scripted_plugin {
namespace {

constexpr char kSql[] = R"(
-- migration: 1
CREATE TABLE scripted_visit (id {{ID}} PRIMARY KEY, who TEXT NOT NULL);
-- name: visit
INSERT INTO scripted_visit (who) VALUES ($1);
-- name: visits
SELECT count(*) FROM scripted_visit;
)";

class ScriptedPlugin final : public Plugin {
 public:
  static constexpr char manifest[] = R"({
    "id": "scripted", "version": "1.0.0",
    "config": {"plugin": {"type": "object", "properties": {
      "fault": {"type": "string", "enum": ["none", "media", "twice", "leak", "throw", "drain", "block", "loop"], "default": "none"},
      "token": {"type": "string", "x-secret": true, "default": ""}}}}})";

  Status start(const Config& config) override {
    fault_ = config.plugin().text("fault", "none");
    secret_.emplace(host(), std::string(config.plugin().text("token", "")));
    log().info("begun", {{"value", config.plugin().text("token", "")}});
    PB_TRY_VALUE(visited_,
                 Subscription::open(host(), "visit.asked", [this](const Event& event) { visit(event); }));
    worker_ =
        std::make_unique<JobWorker>(host(), "remind", 1, 60000, [this](const Job& job) { remind(job); });
    ticks_ = host().media->attach(host().self, PB_LOOP_ANY, &ScriptedPlugin::tick, this);
    if (fault_ == "leak") static_cast<void>(host().services->query(host().self, to_abi("patchbay.http/1")));
    // Closes neither the descriptor's watch nor the timer.
    if (fault_ == "loop") {
      event_ = Descriptor(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
      PB_TRY(watch_.open<&ScriptedPlugin::on_ready>(event_.get(), *this));
      PB_TRY(loop_timer_.open<&ScriptedPlugin::on_due>(*this));
      static_cast<void>(post_to_loop<&ScriptedPlugin::on_loop>(host(), 0, *this));
    }
    if (fault_ == "throw") post(host(), kMainStrand, [] { throw std::runtime_error("as told"); });
    if (fault_ == "block")
      post(host(), kMainStrand, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); });
    if (fault_ == "twice") {
      const uint64_t lease = host().services->query(host().self, to_abi("patchbay.http/1"));
      host().services->unlease(host().self, lease);
      host().services->unlease(host().self, lease);
    }
    return {};
  }
  // Takes a second of the clock.
  void drain(Done done) override {
    if (fault_ != "drain") return done();
    drained_.emplace(std::move(done));
    timer_.after_ms(1000, [this] { (*drained_)(); });
  }
  void stop(Done done) override {
    struct Stopping {
      const Host& host;
      Done done;
    };
    host().media->detach(
        host().self, ticks_,
        [](void* user) noexcept {
          auto* stopping = static_cast<Stopping*>(user);
          stopping->host.runtime->strand_post(
              stopping->host.self, 0,
              [](void* self) noexcept { std::unique_ptr<Stopping>(static_cast<Stopping*>(self))->done(); },
              user);
        },
        new Stopping{host(), std::move(done)});
  }

  // The row, the event and the reminder are one transaction.
  void visit(const Event& event) {
    Transaction tx(host());
    tx.exec(visit_, {event.subject()}, 1);
    tx.emit({"visit.kept", std::string(event.tenant()), std::string(event.subject()), "", "{}"});
    tx.job_add("remind", event.tenant(), event.subject(), host().wall_ms() + 60'000, event.subject());
    std::move(tx).commit([this](const Commit& commit) {
      if (!commit) log().error("not kept", {{"why", commit.error().text}});
    });
  }
  void remind(const Job& job) {
    publish(host(), {"visit.reminded", job.tenant, job.body, "", "{}"});
    Transaction tx(host());
    tx.job_done(job.id, job.fence);
    std::move(tx).commit([](const Commit&) {});
  }
  // [media]
  void on_loop() {
    static_cast<void>(watch_.set(PB_READY_READ));
    static_cast<void>(loop_timer_.set(host().mono_ns() + 1'000'000'000));
  }
  void on_ready(const pb_ready&) {}  // leaves it readable
  void on_due(const pb_tick&) {}
  static void tick(void* user, const pb_tick*) noexcept {
    auto* self = static_cast<ScriptedPlugin*>(user);
    self->count_.add();
    if (self->fault_ == "media") publish(self->host(), {"scripted.tick", "", "", "", "{}"});
  }

 private:
  std::string fault_;
  std::optional<SecretGuard> secret_;
  const Statement visit_ = Statement::find(host(), "visit");
  Metric count_ = Metric::counter(host(), "patchbay_scripted_ticks", "Ticks of 20 ms");
  Subscription visited_;
  std::unique_ptr<JobWorker> worker_;
  Timer timer_{host()};
  Descriptor event_;
  LoopWatch watch_{host()};
  LoopTimer loop_timer_{host()};
  std::optional<Done> drained_;
  uint64_t ticks_ = 0;
};

}  // namespace

const pb_entry entry = linked_entry<ScriptedPlugin>(kSql);

}  // namespace patchbay::scripted_plugin
