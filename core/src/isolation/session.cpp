#include "isolation/session.h"

#include <utility>

namespace patchbay::core::isolation {
namespace {

constexpr Kind answer_to(Kind command) { return static_cast<Kind>(static_cast<uint32_t>(command) + 1); }

}  // namespace

Session::Session(HostContext& context, const Host& host, InterfaceShare& interfaces,
                 Function<void(Status how)> on_end)
    : host_(host), on_end_(std::move(on_end)), tables_(context, host, interfaces) {}

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::begin(HostContext& context, const Host& host,
                                                InterfaceShare& interfaces, ChildCommand command,
                                                Function<void(Status how)> on_end) {
  std::unique_ptr<Session> session(new Session(context, host, interfaces, std::move(on_end)));
  Session* self = session.get();
  const Ref<Strand>& strand = context.main_strand();
  PB_TRY_VALUE(session->process_,
               ChildProcess::start(
                   std::move(command), context.services().process_times,
                   [self, strand](std::string frame, Descriptor fd) {
                     // Thousands of frames may wait; each must not keep a descriptor open.
                     if (Decoder(frame).kind() != Kind::port_create) fd = Descriptor();
                     strand->post([self, frame = std::move(frame), fd = std::move(fd)]() mutable {
                       self->take(frame, std::move(fd));
                     });
                   },
                   [self, strand](const Status& how) { strand->post([self, how] { self->ended(how); }); }));
  session->tables_.link().open(&session->process_->channel());
  return session;
}

void Session::command(Kind kind, std::string_view config, Function<void(Status)> answer) {
  Encoder out(kind);
  const bool begins = kind == Kind::start || kind == Kind::create;
  if (begins || kind == Kind::check || kind == Kind::reconfigure) out.str(config);
  if (begins) {
    for (uint32_t level = PB_LOG_DEBUG; level <= PB_LOG_ERROR; ++level)
      out.u32(host_.observe->log_enabled(host_.self, level) != 0 ? 1 : 0);
    out.i64(host_.store->epoch(host_.self));
  }
  waiting_[answer_to(kind)].push_back(std::move(answer));
  if (!tables_.link().send(out)) kill({Code::exhausted, "its configuration is too large"});
}

void Session::kill(Status why) {
  if (!verdict_) verdict_ = std::move(why);
  process_->kill();
}

void Session::take(const std::string& frame, Descriptor fd) {
  process_->processed(frame.size());
  if (verdict_) return;  // it is being killed: its frames are ignored
  Decoder in(frame);
  const Kind kind = in.kind();
  if (dispatch(kind, in, std::move(fd))) return;
  kill({Code::misuse,
        "it sent an invalid frame (of kind " + std::to_string(static_cast<uint32_t>(kind)) + ")"});
}

bool Session::dispatch(Kind kind, Decoder& in, Descriptor fd) {
  switch (kind) {
    case Kind::started:
    case Kind::created:
    case Kind::checked:
    case Kind::reconfigured:
    case Kind::flushed:
    case Kind::drained:
    case Kind::stopped:
    case Kind::pong:
      return answered(kind, in);
    default:
      return tables_.take(kind, in, std::move(fd));
  }
}

bool Session::answered(Kind kind, Decoder& in) {
  const int32_t status = in.status();
  const std::string text(in.str());
  auto& waiting = waiting_[kind];
  if (!in.whole() || waiting.empty()) return false;
  const Function<void(Status)> answer = std::move(waiting.front());
  waiting.erase(waiting.begin());
  // A plugin that stopped, or did not start, has been destroyed: its process may leave.
  const bool begins = kind == Kind::started || kind == Kind::created;
  if (kind == Kind::stopped || (begins && status != PB_OK)) process_->channel().finish();
  answer(status == PB_OK ? Status() : Status(static_cast<Code>(status), text));
  return true;
}

void Session::ended(Status how) {
  if (verdict_) how = *std::move(verdict_);
  tables_.end();
  const Status why = how ? Status(Code::unavailable, "its process has ended") : how;
  for (const auto& [kind, waiting] : std::exchange(waiting_, {})) {
    for (const auto& answer : waiting) answer(why);
  }
  const Function<void(Status)> on_end = std::move(on_end_);  // which may destroy this
  on_end(std::move(how));
}

}  // namespace patchbay::core::isolation
