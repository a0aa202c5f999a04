// FakeStream: a client of a plugin's WebSocket or event route (services/http_stream.h), without a network.
//
//   testing::FakeStream client(host, http, {"GET", "/chat.ashx"});
//   REQUIRE(client.is_open());
//   client.send("hello");
//   CHECK(client.texts() == std::vector<std::string>{"hello"});
//   client.leave();
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "../end_watch.h"
#include "../services/http_stream.h"
#include "fake_http.h"

namespace patchbay::testing {

// Call every function on the test's thread. Each waits until the plugins are idle.
class FakeStream {
 public:
  // Sends the request and waits for its response.
  FakeStream(TestEnvironment& environment, const FakeHttp& http, const Ask& ask)
      : environment_(&environment), state_(&environment.make<State>(environment.host())) {
    const Handle connection = environment.run([this] { return state_->provide(); });
    auto answer = http.begin(ask, connection).get();
    response_ = answer ? *std::move(answer) : http::error(504, "timeout", answer.error().text);
    environment.run([this] { state_->open(response_.listener); });
    static_cast<void>(environment.settle());
  }

  // The handler's response; without a listener it has refused the stream.
  const http::Response& response() const noexcept { return response_; }
  bool is_open() const {
    const auto closed = closed_with();
    return response_.listener && !closed;
  }

  // Sends a message to the plugin.
  void send(std::string_view text, bool binary = false) const {
    environment_->run([&] { state_->send(Buffer::copy(text), binary); });
    static_cast<void>(environment_->settle());
  }
  // Closes the client's side; 1006: its connection is lost.
  void leave(int64_t code = 1006) const {
    environment_->run([&] { state_->end({code, {}}); });
    static_cast<void>(environment_->settle());
  }

  // What the plugin has sent so far.
  std::vector<http::Message> messages() const { return read(&State::messages); }
  std::vector<http::ServerEvent> events() const { return read(&State::events); }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const http::Message& message : messages()) all.emplace_back(message.data.view());
    return all;
  }
  // How the stream was closed, by either side; nothing: it is open. 1012: the plugin destroyed it.
  std::optional<http::Closed> closed_with() const { return read(&State::closed); }
  // Makes sends fail with Code::exhausted, as to a client that does not read.
  void stop_reading() const {
    const std::lock_guard lock(state_->mutex);
    state_->full = true;
  }

 private:
  struct State {
    explicit State(const Host& to) : host(&to), connection(to) {}

    Handle provide() {
      using http::Connection;
      using http::Unsent;
      connection.on(Connection::send, [this](http::Message message) -> Result<Unsent> {
        return put(messages, std::move(message));
      });
      connection.on(Connection::send_event, [this](http::ServerEvent event) -> Result<Unsent> {
        return put(events, std::move(event));
      });
      connection.on(Connection::close, [this](const http::Close& close) -> Result<Empty> {
        post(*host, kMainStrand, [this, close] { end({close.code, close.reason}); });
        return Empty{};
      });
      connection.on(Connection::unsent, [](const Empty&) -> Result<Unsent> { return Unsent{}; });
      connection.on(Connection::flush, [](const Empty&) -> Result<Unsent> { return Unsent{}; });
      return connection.handle();
    }
    // [any]
    template <class T>
    Result<http::Unsent> put(std::vector<T>& to, T what) {
      const std::lock_guard lock(mutex);
      if (closed) return Error{Code::gone, "the stream is closed"};
      if (full) return Error{Code::exhausted, "the client does not read"};
      to.push_back(std::move(what));
      return http::Unsent{};
    }

    // [test's strand] These three.
    void open(Handle to) {
      if (!to) return;
      listener = Lease<http::StreamListener>::open(*host, to);
      listener_end = EndWatch(*host, to, [this] { end({1012, "the plugin destroyed the stream"}); });
    }
    void send(const Buffer& data, bool binary) const {
      listener.call(http::StreamListener::message, {data, binary}, [](const Result<Empty>&) {});
    }
    void end(const http::Closed& with) {
      {
        const std::lock_guard lock(mutex);
        if (closed) return;
        closed = with;
      }
      listener.call(http::StreamListener::closed, with, [](const Result<Empty>&) {});
    }

    const Host* host;
    Provision<http::Connection> connection;
    Lease<http::StreamListener> listener;
    EndWatch listener_end;
    std::mutex mutex;
    std::vector<http::Message> messages;  // guarded by mutex, as are the next ones
    std::vector<http::ServerEvent> events;
    std::optional<http::Closed> closed;
    bool full = false;
  };

  template <class T>
  T read(T State::*member) const {
    static_cast<void>(environment_->settle());
    const std::lock_guard lock(state_->mutex);
    return state_->*member;
  }

  TestEnvironment* environment_;
  State* state_;  // lives as long as the environment
  http::Response response_;
};

}  // namespace patchbay::testing
