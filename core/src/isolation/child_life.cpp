#include "isolation/child_life.h"

#include <utility>

#include "abi/media_hub.h"
#include "plugins/plugin_source.h"
#include "runtime/thread_kind.h"

namespace patchbay::core::isolation {
namespace {

constexpr int64_t kFiguresMs = 250;
// How long destroy() waits for answers that were under way when the plugin stopped; the server waits longer.
constexpr int64_t kMaxWaitNs = 3'000'000'000;
constexpr int64_t kLookAgainMs = 2;

}  // namespace

struct ChildLife::Asked {
  ChildLife* life;
  Kind kind;

  static void answer(void* self, int32_t status, const pb_err* err) noexcept {
    const std::unique_ptr<Asked> asked(static_cast<Asked*>(self));
    std::string text = err != nullptr && status != PB_OK ? err->text : "";
    asked->life->host_.context().main_strand()->post(
        [life = asked->life, kind = asked->kind, status, text = std::move(text)] {
          life->answered(kind, status, text);
        });
  }
};

void ChildLife::take(const std::string& frame) {
  if (host_.take(frame)) return;
  host_.context().main_strand()->post([this, frame] { command(frame); });
}

void ChildLife::command(const std::string& frame) {
  Decoder in(frame);
  const Kind kind = in.kind();
  if (kind == Kind::start || kind == Kind::make) return begin(in, kind);
  if (over()) return;
  if (kind == Kind::pass) return report(Kind::passed, PB_OK, "");
  if (kind == Kind::alive) return check_alive();
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

void ChildLife::begin(Decoder& in, Kind kind) {
  const std::string config(in.str());
  uint32_t levels = 0;
  for (uint32_t level = PB_LOG_DEBUG; level <= PB_LOG_ERROR; ++level) levels |= in.u32() << level;
  host_.began(levels, in.i64());
  const Status made = create();
  if (kind == Kind::make || !made) {
    const int32_t status = made ? PB_OK : static_cast<int32_t>(made.error().code);
    return report(kind == Kind::make ? Kind::made : Kind::started, status, made ? "" : made.error().text);
  }
  report_metrics();
  const CallbackScope what("start");
  plugin_->start(config, done_for(Kind::started));
}

Status ChildLife::create() {
  PB_TRY(confined_);
  PB_TRY_VALUE(tables_, Host::open(host_.context().raw()));
  figures_ = std::make_unique<Timer>(*tables_);
  rest_ = std::make_unique<Timer>(*tables_);
  PB_TRY_VALUE(auto source, read_plugin_file(file_));
  plugin_.emplace(std::move(source));
  PB_TRY(plugin_->prepare());
  const CallbackScope what("create");
  PB_TRY(plugin_->create(host_.context(), {}));
  is_made_ = true;
  return {};
}

// The last of its tasks answers; a strand or loop that is held delays the answer.
struct ChildLife::Round {
  ChildLife* life;
  std::atomic<size_t> left;

  static void passed(void* self) noexcept {
    auto* round = static_cast<Round*>(self);
    if (round->left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    round->life->report(Kind::lives, PB_OK, "");
    delete round;
  }
};

void ChildLife::check_alive() {
  HostContext& context = host_.context();
  MediaHub& media = context.services().media;
  const auto strands = context.handles().strands.all();
  // One for this strand.
  auto* round = new Round{this, {strands.size() + media.loops() + 1}};
  for (const auto& [handle, strand] : strands) {
    if (!strand->post(&Round::passed, round)) Round::passed(round);
  }
  for (uint32_t loop = 0; loop < media.loops(); ++loop) {
    const bool rests = media.pool().at(loop).attached() == 0;
    if (rests) Round::passed(round);
    if (!rests) media.pass(loop, &Round::passed, round, context.main_strand().get());
  }
  Round::passed(round);
}

pb_done ChildLife::done_for(Kind kind) { return {sizeof(pb_done), 0, new Asked{this, kind}, &Asked::answer}; }

void ChildLife::answered(Kind kind, int32_t status, const std::string& text) {
  const bool ends = kind == Kind::stopped || (kind == Kind::started && status != PB_OK);
  if (!ends) return report(kind, status, text);
  destroy(kind, status, text, tables_->mono_ns() + kMaxWaitNs);
}

// Destroys the plugin only once no answer is under way to it. If its own work has not ended by then, the
// process exits without destroying it (ChildLife::over() stays false), because nothing that the work uses may
// be freed.
void ChildLife::destroy(Kind kind, int32_t status, const std::string& text, int64_t until_ns) {
  host_.cancel_calls();
  if (host_.context().outstanding() > 0 && tables_->mono_ns() < until_ns)
    return rest_->after_ms(kLookAgainMs, [=, this] { destroy(kind, status, text, until_ns); });
  if (host_.context().outstanding() > 0)
    return report(kind, PB_E_TIMEOUT,
                  "it was not destroyed, as this is still under way: " + host_.under_way());
  const CallbackScope what("destroy");
  is_made_ = false;
  plugin_->destroy();
  figures_.reset();
  send_metrics();
  report(kind, status, text);
}

void ChildLife::report(Kind kind, int32_t status, std::string_view text) {
  host_.send(Encoder(kind).u32(static_cast<uint32_t>(status)).str(text));
}

void ChildLife::report_metrics() {
  send_metrics();
  figures_->after_ms(kFiguresMs, [this] { report_metrics(); });
}

}  // namespace patchbay::core::isolation
