// AsyncSession: a Session for a conversation that runs on an io thread. Passes audio directly, posts all
// other calls to the io thread. After the destructor nothing calls the listener.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "engine/limits.h"
#include "websocket/io_thread.h"

namespace patchbay::lib {

template <class Conversation>
class AsyncSession final : public Session {
 public:
  // Shared, because posted tasks may outlive this object.
  AsyncSession(IoThread& io, std::shared_ptr<Conversation> conversation)
      : io_(io), conversation_(std::move(conversation)) {
    io_.post([c = conversation_] { c->start(); });
  }

  ~AsyncSession() override {
    conversation_->gate().close();  // at once after detach(), which waits for a running callback
    io_.post([c = conversation_] { c->cancel(); });
  }

  bool detach() override { return conversation_->gate().close_within(std::chrono::milliseconds(kDetachMs)); }

  int output_rate_hz() const override { return Conversation::kOutputRateHz; }
  void push_audio(const int16_t* samples, size_t count) noexcept override {
    conversation_->push_audio(samples, count);
  }
  size_t pull_audio(int16_t* out, size_t count) noexcept override {
    return conversation_->pull_audio(out, count);
  }
  size_t pull_first_audio(int16_t* out, size_t count) noexcept override {
    return conversation_->pull_first_audio(out, count);
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
  IoThread& io_;
  std::shared_ptr<Conversation> conversation_;
};

}  // namespace patchbay::lib
