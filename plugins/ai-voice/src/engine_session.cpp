#include "engine_session.h"

#include <patchbay/strand.h>

#include <cstring>
#include <utility>

namespace patchbay::ai_voice {

using engine::Listener;

Result<std::vector<Tool>> read_tools(const Host& host, std::string_view json) {
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
      service_(host) {}

EngineSession::~EngineSession() = default;

Status EngineSession::open(Engine& engine, const engine::Open& request) {
  SessionConfig config;
  config.model = request.model;
  config.voice = request.voice;
  config.language = request.language;
  config.system_prompt = request.system_prompt;
  config.greeting = request.greeting;
  config.api_key = request.api_key;
  PB_TRY_VALUE(config.tools, read_tools(host_, request.tools));
  PB_TRY_VALUE(session_, engine.open(std::move(config), *this));

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
  return {};
}

engine::Opened EngineSession::handles() { return {service_.handle(), AudioPort::handle()}; }

void EngineSession::close() {
  if (session_) session_->close();
}

void EngineSession::on_ready(const std::string& note) { listener_.send(Listener::ready, {note}); }
void EngineSession::on_user_text(std::string_view fragment) {
  listener_.send(Listener::user_words, {std::string(fragment), host_.wall_ms()});
}
void EngineSession::on_ai_text(std::string_view fragment) {
  listener_.send(Listener::ai_words, {std::string(fragment), host_.wall_ms()});
}
void EngineSession::on_ai_audio() { listener_.send(Listener::ai_audio, {}); }
void EngineSession::on_interrupted(const Heard& heard) {
  listener_.send(Listener::interrupted, {heard.played_ms, heard.received_ms});
}
void EngineSession::on_turn_complete(bool had_audio) { listener_.send(Listener::turn_complete, {had_audio}); }
void EngineSession::on_tool_call(const std::string& id, const std::string& name,
                                 const std::string& args_json) {
  listener_.send(Listener::tool_call, {id, name, args_json});
}
void EngineSession::on_tool_cancel(const std::string& id) {
  listener_.send(Listener::tool_cancel, {id, "", ""});
}
void EngineSession::on_usage(const Usage& delta) {
  listener_.send(Listener::usage, {delta.total_tokens, delta.prompt_tokens, delta.response_tokens,
                                   delta.thought_tokens, delta.cached_tokens});
}
void EngineSession::on_going_away(int time_left_ms) {
  log_.info("the engine's connection is to be replaced", {{"leftMs", time_left_ms}});
}
void EngineSession::on_farewell_done() { listener_.send(Listener::farewell_done, {}); }

void EngineSession::on_closed(const SessionClose& close) {
  engine::Closed closed;
  closed.failed = !close.by_us;
  closed.retryable = close.retryable;
  if (closed.failed) closed.reason = "engine: close " + std::to_string(close.code) + " " + close.reason;
  listener_.send(Listener::closed, closed);
  post(host_, kMainStrand, alive_.bind([this] { release(); }));
}

// Nobody may use the port or the service any more before the session goes.
void EngineSession::release() {
  if (std::exchange(releasing_, true)) return;
  service_.withdraw();
  AudioPort::close(alive_.bind([this] {
    session_.reset();
    const Function<void()> ended = std::move(ended_);
    ended();
  }));
}

uint32_t EngineSession::pull_rate_hz() const noexcept {
  return static_cast<uint32_t>(session_->output_rate_hz());
}

void EngineSession::pull(pb_frame& out) noexcept {
  if (session_->pull_audio(out.pcm, out.capacity) == 0) out.flags |= PB_FRAME_SILENCE;
  out.samples = out.capacity;
}

void EngineSession::push(const pb_frame& in) noexcept { session_->push_audio(in.pcm, in.samples); }

}  // namespace patchbay::ai_voice
