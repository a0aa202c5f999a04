#include "isolation/child_lifecycle.h"

#include <utility>

#include "abi/media_registry.h"
#include "isolation/limits.h"
#include "plugins/plugin_file.h"
#include "runtime/thread_kind.h"

namespace patchbay::core::isolation {

struct ChildLifecycle::PendingCommand {
  ChildLifecycle* lifecycle;
  Kind kind;

  static void answer(void* self, int32_t status, const pb_err* err) noexcept {
    const std::unique_ptr<PendingCommand> command(static_cast<PendingCommand*>(self));
    std::string text = err != nullptr && status != PB_OK ? err->text : "";
    command->lifecycle->post([lifecycle = command->lifecycle, kind = command->kind, status,
                              text = std::move(text)] { lifecycle->answered(kind, status, text); });
  }
};

void ChildLifecycle::take(const std::string& frame) {
  if (host_.take(frame)) return;
  post([this, frame] { command(frame); });
}

// No guest runs the commands, because they may join the guest's thread.
void ChildLifecycle::post(std::function<void()> call) {
  host_.context().main_strand()->post_to_executor(std::move(call));
}

void ChildLifecycle::command(const std::string& frame) {
  Decoder in(frame);
  const Kind kind = in.kind();
  if (kind == Kind::start || kind == Kind::create) return begin(in, kind);
  if (over()) return;
  if (kind == Kind::flush) return report(Kind::flushed, PB_OK, "");
  if (kind == Kind::ping) return answer_ping();
  const std::string config(in.str());
  if (kind == Kind::check) {
    const CallbackScope what("check_config");
    plugin_->check_config(config, done_for(Kind::checked));
  } else if (kind == Kind::reconfigure) {
    const CallbackScope what("reconfigure");
    plugin_->reconfigure(config, done_for(Kind::reconfigured));
  } else if (kind == Kind::drain) {
    const CallbackScope what("drain");
    plugin_->drain(done_for(Kind::drained));
  } else if (kind == Kind::stop) {
    const CallbackScope what("stop");
    plugin_->stop(done_for(Kind::stopped));
  }
}

void ChildLifecycle::begin(Decoder& in, Kind kind) {
  const std::string config(in.str());
  uint32_t levels = 0;
  for (uint32_t level = PB_LOG_DEBUG; level <= PB_LOG_ERROR; ++level) levels |= in.u32() << level;
  host_.began(levels, in.i64());
  const Status created = create();
  if (kind == Kind::create || !created) {
    const int32_t status = created ? PB_OK : static_cast<int32_t>(created.error().code);
    return report(kind == Kind::create ? Kind::created : Kind::started, status,
                  created ? "" : created.error().text);
  }
  report_metrics();
  const CallbackScope what("start");
  plugin_->start(config, done_for(Kind::started));
}

Status ChildLifecycle::create() {
  PB_TRY(confined_);
  PB_TRY_VALUE(tables_, Host::open(host_.context().raw()));
  metrics_timer_ = std::make_unique<Timer>(*tables_);
  poll_timer_ = std::make_unique<Timer>(*tables_);
  PB_TRY_VALUE(auto source, read_plugin_file(file_));
  plugin_.emplace(std::move(source));
  PB_TRY(plugin_->prepare());
  const CallbackScope what("create");
  PB_TRY(plugin_->create(host_.context(), {}));
  is_created_ = true;
  return {};
}

// One task on each strand and media loop; the last one to run answers. A plugin that blocks one of them
// delays the answer.
struct ChildLifecycle::PingRound {
  ChildLifecycle* lifecycle;
  std::atomic<size_t> left;

  static void ran(void* self) noexcept {
    auto* round = static_cast<PingRound*>(self);
    if (round->left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    round->lifecycle->report(Kind::pong, PB_OK, "");
    delete round;
  }
};

void ChildLifecycle::answer_ping() {
  HostContext& context = host_.context();
  MediaRegistry& media = context.services().media;
  const auto strands = context.handles().strands.all();
  // The last one is for this strand.
  auto* round = new PingRound{this, {strands.size() + media.loops() + 1}};
  for (const auto& [handle, strand] : strands) {
    if (!strand->post(&PingRound::ran, round)) PingRound::ran(round);
  }
  for (uint32_t loop = 0; loop < media.loops(); ++loop) {
    const bool is_idle = media.pool().at(loop).attached() == 0;
    if (is_idle) PingRound::ran(round);
    if (!is_idle) media.flush_loop(loop, &PingRound::ran, round, context.main_strand().get());
  }
  PingRound::ran(round);
}

pb_done ChildLifecycle::done_for(Kind kind) {
  return {sizeof(pb_done), 0, new PendingCommand{this, kind}, &PendingCommand::answer};
}

void ChildLifecycle::answered(Kind kind, int32_t status, const std::string& text) {
  const bool ends = kind == Kind::stopped || (kind == Kind::started && status != PB_OK);
  if (!ends) return report(kind, status, text);
  destroy(kind, status, text, tables_->mono_ns() + kDestroyWaitMs * 1'000'000);
}

// Destroys the plugin only once no answer is under way to it. If its own work has not ended by then, the
// process exits without destroying it (ChildLifecycle::over() stays false), because nothing that the work
// uses may be freed.
void ChildLifecycle::destroy(Kind kind, int32_t status, const std::string& text, int64_t until_ns) {
  host_.cancel_calls();
  if (host_.context().outstanding() > 0 && tables_->mono_ns() < until_ns)
    return poll_timer_->after_ms(kDestroyPollMs,
                                 [=, this] { post([=, this] { destroy(kind, status, text, until_ns); }); });
  if (host_.context().outstanding() > 0)
    return report(kind, PB_E_TIMEOUT,
                  "it was not destroyed, because this is still under way: " + host_.under_way());
  const CallbackScope what("destroy");
  is_created_ = false;
  plugin_->destroy();
  metrics_timer_.reset();
  send_metrics();
  report(kind, status, text);
}

void ChildLifecycle::report(Kind kind, int32_t status, std::string_view text) {
  host_.send(Encoder(kind).u32(static_cast<uint32_t>(status)).str(text));
}

void ChildLifecycle::report_metrics() {
  send_metrics();
  metrics_timer_->after_ms(kMetricsIntervalMs, [this] { report_metrics(); });
}

}  // namespace patchbay::core::isolation
