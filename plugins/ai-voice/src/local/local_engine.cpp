#include "local/local_engine.h"

#include "local/local_conversation.h"

namespace patchbay::ai_voice::local {
namespace {

// The handle other threads hold.
class LocalSession final : public Session {
 public:
  LocalSession(lib::IoThread& io, std::shared_ptr<LocalConversation> conversation)
      : io_(io), conversation_(std::move(conversation)) {}

  ~LocalSession() override {
    conversation_->gate().close();
    io_.post([c = conversation_] { c->abandon(); });
  }

  int output_rate_hz() const override { return Synthesiser::kRateHz; }
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
    io_.post([c = conversation_] { c->finish({1000, "", false, true}); });
  }

 private:
  lib::IoThread& io_;
  std::shared_ptr<LocalConversation> conversation_;
};

}  // namespace

LocalEngine::LocalEngine(lib::IoThread& io, Options options)
    : io_(io), options_(std::move(options)), recogniser_(options_.recogniser) {}

// Sessions let go of the workers on the io thread.
LocalEngine::~LocalEngine() { io_.drain(); }

bool LocalEngine::matches(std::string_view model) const {
  return model == "local" || model == "embedded" || model.substr(0, 6) == "local-";
}

Result<std::unique_ptr<Session>> LocalEngine::open(SessionConfig config, SessionListener& listener) {
  auto conversation =
      LocalConversation::create(io_, recogniser_, synthesiser_, options_, std::move(config), listener);
  io_.post([conversation] { conversation->start(); });
  return std::unique_ptr<Session>(std::make_unique<LocalSession>(io_, std::move(conversation)));
}

}  // namespace patchbay::ai_voice::local
