#include "engine/engine_session.h"

#include <patchbay/strand.h>

#include <cstring>
#include <utility>

#include "engine/close_reason.h"

namespace patchbay::lib {

using engine::Listener;

Result<std::vector<Tool>> parse_tools(const Host& host, std::string_view json) {
  std::vector<Tool> tools;
  if (json.empty()) return tools;
  PB_TRY_VALUE(const Json doc, host.parse_json(json));
  const auto list = doc.root();
  for (size_t i = 0; i < list.size(); ++i) {
    const auto entry = list.at(i);
    Tool tool{std::string(entry.text("name", "")), std::string(entry.text("description", "")), {}};
    if (tool.name.empty()) return {Code::invalid, "a tool has no name"};
    const auto properties = entry["parameters"]["properties"];
    const auto required = entry["parameters"]["required"];
    for (size_t p = 0; p < properties.size(); ++p) {
      Tool::Parameter parameter{std::string(properties.key(p)),
                                std::string(properties.at(p).text("description", "")), false};
      for (size_t r = 0; r < required.size(); ++r)
        parameter.required |= required.at(r).text() == parameter.name;
      tool.parameters.push_back(std::move(parameter));
    }
    tools.push_back(std::move(tool));
  }
  return tools;
}

EngineSession::EngineSession(const Host& host, const engine::Open& request, Function<void()> ended)
    : host_(host),
      log_(Log(host).with(request.correlation)),
      secret_(host, request.api_key),
      ended_(std::move(ended)),
      listener_(Lease<Listener>::open(host, request.listener)),
      service_(host),
      begin_answer_(host) {}

EngineSession::~EngineSession() = default;

Status EngineSession::open(Engine& engine, IoThread& io, const engine::Open& request) {
  SessionConfig config;
  config.model = request.model;
  config.voice = request.voice;
  config.language = request.language;
  config.system_prompt = request.system_prompt;
  config.greeting = request.greeting;
  config.api_key = request.api_key;
  PB_TRY_VALUE(config.tools, parse_tools(host_, request.tools));
  PB_TRY_VALUE(session_, engine.open(io, std::move(config), *this));

  using S = engine::Session;
  service_
      .on(S::begin,
          [this](const Empty&) -> Result<Empty> {
            session_->begin();
            return Empty{};
          })
      .on(S::push_text,
          [this](const engine::Text& text) -> Result<Empty> {
            session_->push_text(text.text, text.trigger);
            return Empty{};
          })
      .on(S::tool_result,
          [this](const engine::ToolResult& result) -> Result<Empty> {
            session_->tool_result(result.call, result.result);
            return Empty{};
          })
      .on(S::farewell,
          [this](const Empty&) -> Result<Empty> {
            session_->farewell();
            return Empty{};
          })
      .on(S::close, [this](const Empty&) -> Result<Empty> {
        close();
        return Empty{};
      });
  AudioPort::open(host_);
  listener_watch_ = EndWatch(host_, request.listener, [this] { on_opener_ended(); });
  opener_watch_ = EndWatch(host_, calling_plugin(host_), [this] { on_opener_ended(); });
  return {};
}

engine::Opened EngineSession::handles() { return {service_.handle(), AudioPort::handle()}; }

void EngineSession::close() {
  closing_ = true;
  if (session_) session_->close();
}

void EngineSession::on_opener_ended() {
  if (closing_) return;
  log_.warn("the plugin that opened the engine's session has ended, so the session is closed");
  close();
}

void EngineSession::on_ready(const std::string& note) { listener_.send(Listener::ready, {valid_text(note)}); }

bool EngineSession::within_text_limit(size_t bytes) {
  if (text_bytes_ > kMaxSessionTextBytes) return false;
  text_bytes_ += bytes + kFragmentOverheadBytes;
  if (text_bytes_ <= kMaxSessionTextBytes) return true;
  report_closed({true, false, "the AI engine sent more than 1 MiB of text"});
  session_->close();
  return false;
}

void EngineSession::on_user_text(std::string_view fragment) {
  if (!within_text_limit(fragment.size())) return;
  listener_.send(Listener::user_words, {user_words_.take(fragment), host_.wall_ms()});
}
void EngineSession::on_ai_text(std::string_view fragment) {
  if (!within_text_limit(fragment.size())) return;
  listener_.send(Listener::ai_words, {ai_words_.take(fragment), host_.wall_ms()});
}
void EngineSession::on_ai_audio() { listener_.send(Listener::ai_audio, {}); }
void EngineSession::on_interrupted(const Interruption& heard) {
  listener_.send(Listener::interrupted, {heard.played_ms, heard.received_ms});
}
void EngineSession::on_turn_complete(bool had_audio) { listener_.send(Listener::turn_complete, {had_audio}); }
void EngineSession::on_tool_call(const std::string& id, const std::string& name,
                                 const std::string& args_json) {
  listener_.send(Listener::tool_call, {id, valid_text(name), args_json});
}
void EngineSession::on_tool_cancel(const std::string& id) {
  listener_.send(Listener::tool_cancel, {id, "", ""});
}
void EngineSession::on_usage(const Usage& delta) {
  listener_.send(Listener::usage, {delta.total_tokens, delta.prompt_tokens, delta.response_tokens,
                                   delta.thought_tokens, delta.cached_tokens});
}
void EngineSession::on_going_away(int time_left_ms) {
  log_.info("the engine announced the end of its connection, which is replaced", {{"leftMs", time_left_ms}});
}
void EngineSession::on_farewell_done() { listener_.send(Listener::farewell_done, {}); }

void EngineSession::on_connection_lost(const std::string& reason) {
  log_.warn("the engine's connection was lost and is opened again", {{"why", reason}});
}

void EngineSession::on_closed(const SessionClose& close) {
  log_.info("the engine's session was closed",
            {{"code", close.code}, {"why", close.reason}, {"droppedMs", close.dropped_ms}});
  engine::Closed closed;
  closed.failed = !close.by_us;
  closed.retryable = close.retryable;
  if (closed.failed) closed.reason = describe_close(close.code, close.reason);
  report_closed(closed);
  post(host_, kMainStrand, alive_.bind([this] { release(); }));
}

void EngineSession::fail(std::string_view reason) {
  report_closed({true, true, "the AI engine does not respond: " + std::string(reason)});
  release();
}

void EngineSession::report_closed(const engine::Closed& closed) {
  if (!closed_reported_.exchange(true)) listener_.send(Listener::closed, closed);
}

// Closes the service and the port before it detaches the session, because both call the session.
void EngineSession::release() {
  if (std::exchange(releasing_, true)) return;
  listener_watch_ = EndWatch();
  opener_watch_ = EndWatch();
  service_.withdraw();
  AudioPort::close(alive_.bind([this] {
    stuck_ = !session_->detach();
    if (!stuck_)
      session_.reset();
    else
      log_.error("the engine's thread does not return from a callback, its session is leaked");
    begin_answer_.close(alive_.bind([this] {
      const Function<void()> ended = std::move(ended_);
      ended();
    }));
  }));
}

uint32_t EngineSession::pull_rate_hz() const noexcept {
  return static_cast<uint32_t>(session_->output_rate_hz());
}

void EngineSession::pull(pb_frame& out) noexcept {
  if (session_->pull_audio(out.pcm, out.capacity) == 0) {
    out.flags |= PB_FRAME_SILENCE;
    is_ahead_ = false;
  }
  out.samples = out.capacity;
}

bool EngineSession::stream_to(const FrameSink& sink) noexcept {
  sink_ = (sink.flags & PB_PORT_EARLY) != 0 ? sink : FrameSink{};
  is_ahead_ = false;
  return static_cast<bool>(sink_);
}

void EngineSession::on_answer_startable() {
  const uint32_t loop = loop_;
  if (loop != PB_LOOP_ANY) static_cast<void>(begin_answer_.post<&EngineSession::begin_answer>(loop, *this));
}

// The first frame of an answer does not wait for the next tick. The port may have moved to another loop since
// this was posted, whose state this one must not touch.
void EngineSession::begin_answer() noexcept {
  if (loop_thread_.load() != std::this_thread::get_id()) return;
  if (!sink_ || is_ahead_) return;
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.time_ns = host_.mono_ns();
  frame.rate_hz = pull_rate_hz();
  frame.samples = frame.capacity = frame.rate_hz / 1000 * PB_TICK_MS;
  frame.pcm = first_frame_.data();
  if (session_->pull_first_audio(frame.pcm, frame.capacity) == 0) return;
  is_ahead_ = true;
  sink_(frame);
}

void EngineSession::push(const pb_frame& in) noexcept { session_->push_audio(in.pcm, in.samples); }

}  // namespace patchbay::lib
