#include "isolation/child_life.h"

#include <utility>

#include "abi/media_hub.h"
#include "plugins/plugin_source.h"
#include "runtime/thread_kind.h"

namespace patchbay::core::isolation {
namespace {

constexpr int64_t kFiguresMs = 250;
// For answers under way when the plugin stopped; the server waits longer than this.
constexpr int64_t kMostWaitNs = 3'000'000'000;
constexpr int64_t kLookAgainMs = 2;

}  // namespace

struct Life::Asked {
  Life* life;
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

void Life::take(const std::string& frame) {
  if (host_.take(frame)) return;
  host_.context().main_strand()->post([this, frame] { command(frame); });
}

void Life::command(const std::string& frame) {
  Decoder in(frame);
  const Kind kind = in.kind();
  if (kind == Kind::start || kind == Kind::make) return begin(in, kind);
  if (table_ == nullptr || over()) return;
  if (kind == Kind::check) return check(in.str());
  if (kind == Kind::reconfigure) return reconfigure(in.str());
  if (kind == Kind::pass) return say(Kind::passed, PB_OK, "");
  if (kind == Kind::alive) return go_round();
  const CallbackScope what(kind == Kind::drain ? "drain" : "stop");
  if (kind == Kind::drain) {
    const pb_done done = done_for(Kind::drained);
    table_->drain(self_, &done);
  } else if (kind == Kind::stop) {
    const pb_done done = done_for(Kind::stopped);
    table_->stop(self_, &done);
  }
}

void Life::begin(Decoder& in, Kind kind) {
  const std::string config(in.str());
  uint32_t levels = 0;
  for (uint32_t level = PB_LOG_DEBUG; level <= PB_LOG_ERROR; ++level) levels |= in.u32() << level;
  host_.began(levels, in.i64());
  const Status made = create();
  if (kind == Kind::make || !made) {
    const int32_t status = made ? PB_OK : static_cast<int32_t>(made.error().code);
    return say(kind == Kind::make ? Kind::made : Kind::started, status, made ? "" : made.error().text);
  }
  tell_figures();
  const pb_done done = done_for(Kind::started);
  const CallbackScope what("start");
  table_->start(self_, to_abi(config), &done);
}

Status Life::create() {
  PB_TRY(confined_);
  PB_TRY_VALUE(tables_, Host::open(host_.raw()));
  figures_ = std::make_unique<Timer>(*tables_);
  rest_ = std::make_unique<Timer>(*tables_);
  PB_TRY_VALUE(auto source, read_plugin_file(file_));
  PB_TRY(load_plugin(source));
  pb_err err = empty_error();
  void* self = nullptr;
  const CallbackScope what("create");
  const int32_t status = source.entry->create(host_.raw(), &table_, &self, &err);
  if (status != PB_OK) return read_error(status, &err);
  const bool whole = table_ != nullptr && table_->size >= PB_PLUGIN_FLOOR && table_->start != nullptr &&
                     table_->check_config != nullptr && table_->reconfigure != nullptr &&
                     table_->drain != nullptr && table_->stop != nullptr && table_->destroy != nullptr;
  if (!whole) return {Code::invalid, "its table lacks functions or states a wrong size"};
  self_ = self;
  return {};
}

void Life::check(std::string_view config) {
  pb_err err = empty_error();
  const CallbackScope what("check_config");
  const int32_t status = table_->check_config(self_, to_abi(config), &err);
  say(Kind::checked, status, status == PB_OK ? "" : err.text);
}

void Life::reconfigure(std::string_view config) {
  const CallbackScope what("reconfigure");
  table_->reconfigure(self_, to_abi(config));
  say(Kind::reconfigured, PB_OK, "");
}

// Who comes by last answers. What is held somewhere keeps the round, and so the answer, back.
struct Life::Round {
  Life* life;
  std::atomic<size_t> left;

  static void came_by(void* self) noexcept {
    auto* round = static_cast<Round*>(self);
    if (round->left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    round->life->say(Kind::lives, PB_OK, "");
    delete round;
  }
};

void Life::go_round() {
  HostContext& context = host_.context();
  MediaHub& media = context.parts().media;
  const auto strands = context.handles().strands.all();
  // One for this strand.
  auto* round = new Round{this, {strands.size() + media.loops() + 1}};
  for (const auto& [handle, strand] : strands) {
    if (!strand->post(&Round::came_by, round)) Round::came_by(round);
  }
  for (uint32_t loop = 0; loop < media.loops(); ++loop) {
    const bool rests = media.pool().at(loop).attached() == 0;
    if (rests) Round::came_by(round);
    if (!rests) media.pass(loop, &Round::came_by, round, context.main_strand().get());
  }
  Round::came_by(round);
}

pb_done Life::done_for(Kind kind) { return {sizeof(pb_done), 0, new Asked{this, kind}, &Asked::answer}; }

void Life::answered(Kind kind, int32_t status, const std::string& text) {
  if (kind == Kind::drained || (kind == Kind::started && status == PB_OK)) return say(kind, status, text);
  destroy(kind, status, text, tables_->mono_ns() + kMostWaitNs);
}

// A plugin is destroyed only when no answer is under way to it any more. One that still has work of its own
// then is not: its process leaves without (Life::over() stays false), as nothing in it may be freed.
void Life::destroy(Kind kind, int32_t status, const std::string& text, int64_t until_ns) {
  host_.abandon_calls();
  if (host_.context().outstanding() > 0 && tables_->mono_ns() < until_ns)
    return rest_->after_ms(kLookAgainMs, [=, this] { destroy(kind, status, text, until_ns); });
  if (host_.context().outstanding() > 0)
    return say(kind, PB_E_TIMEOUT, "it was not destroyed, as this is still under way: " + host_.under_way());
  const CallbackScope what("destroy");
  table_->destroy(self_.exchange(nullptr));
  figures_.reset();
  send_figures();
  say(kind, status, text);
}

void Life::say(Kind kind, int32_t status, std::string_view text) {
  host_.send(Encoder(kind).u32(static_cast<uint32_t>(status)).str(text));
}

void Life::tell_figures() {
  send_figures();
  figures_->after_ms(kFiguresMs, [this] { tell_figures(); });
}

}  // namespace patchbay::core::isolation
