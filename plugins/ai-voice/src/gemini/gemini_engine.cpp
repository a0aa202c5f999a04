#include "gemini/gemini_engine.h"

#include <atomic>

#include "gemini/conversation.h"
#include "websocket/url.h"

namespace patchbay::ai_voice::gemini {
namespace {

// The handle other threads hold. The conversation itself lives on the io thread.
class GeminiSession final : public Session {
 public:
  GeminiSession(lib::IoThread& io, std::shared_ptr<Conversation> conversation)
      : io_(io), conversation_(std::move(conversation)) {}

  ~GeminiSession() override {
    conversation_->gate().close();
    io_.post([c = conversation_] { c->abandon(); });
  }

  int output_rate_hz() const override { return Conversation::kOutputRateHz; }
  void push_audio(const int16_t* samples, size_t count) noexcept override {
    conversation_->push_audio(samples, count);
  }
  size_t pull_audio(int16_t* out, size_t count) noexcept override {
    return conversation_->pull_audio(out, count);
  }

  void begin() override {
    io_.post([c = conversation_] { c->begin(); });
  }
  void push_text(std::string text, bool trigger) override {
    io_.post([c = conversation_, text = std::move(text), trigger] { c->push_text(text, trigger); });
  }
  void tool_result(std::string id, std::string json) override {
    io_.post([c = conversation_, id = std::move(id), json = std::move(json)] { c->tool_result(id, json); });
  }
  void farewell() override {
    io_.post([c = conversation_] { c->farewell(); });
  }
  void close() override {
    io_.post([c = conversation_] { c->close(); });
  }

 private:
  lib::IoThread& io_;
  std::shared_ptr<Conversation> conversation_;
};

}  // namespace

bool GeminiEngine::matches(std::string_view model) const {
  if (size_t slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  return model.substr(0, 7) == "gemini-";
}

Result<std::unique_ptr<Session>> GeminiEngine::open(SessionConfig config, SessionListener& listener) {
  PB_TRY_VALUE(auto url, lib::parse_websocket_url(options_.url));
  (void)url;
  if (config.api_key.empty()) return {Code::invalid, "gemini-live: an apiKey is required"};
  for (char c : config.api_key)
    if (c <= ' ' || c >= 127) return {Code::invalid, "gemini-live: the apiKey holds a character no key has"};
  auto conversation = Conversation::create(io_, options_, std::move(config), listener);
  io_.post([conversation] { conversation->start(); });
  return std::unique_ptr<Session>(std::make_unique<GeminiSession>(io_, std::move(conversation)));
}

}  // namespace patchbay::ai_voice::gemini
