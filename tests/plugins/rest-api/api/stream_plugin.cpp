#include "stream_plugin.h"

#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/services/http_stream.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "support/linked_plugin.h"

using namespace patchbay;

namespace rest_api_test {
namespace {

std::mutex stream_mutex;
std::condition_variable stream_ended;
std::deque<EndedStream> ended_streams;  // guarded by stream_mutex, as is the next one
std::function<void()> release_held;
std::atomic<uint64_t> taken{0};

http::Route stream_route(const char* path, const char* kind) {
  http::Route made;
  made.method = "GET";
  made.path = path;
  made.kind = kind;
  made.role = "none";
  made.area = "streams";
  made.summary = "A stream of the test";
  made.max_per_address = 100;
  return made;
}

class StreamPlugin final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "stream-plugin", "version": "0.1.0", "summary": "Streams", "license": "Apache-2.0",
          "optional": ["patchbay.http/1"], "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    routes_ = std::make_unique<http::Routes>(host());
    add_web_sockets();
    add_events();
    routes_->add(stream_route("/s/events/last", ""), [](const http::Request&) { return http::ok("{}"); });
    routes_->open();
    const std::lock_guard lock(stream_mutex);
    release_held = [this] {
      post(host(), kMainStrand, [this] {
        for (auto& reply : std::exchange(held_, {})) reply(Empty{});
      });
    };
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    {
      const std::lock_guard lock(stream_mutex);
      release_held = nullptr;
    }
    holding_.clear();
    held_.clear();
    streams_.clear();
    routes_.reset();
    done();
  }

 private:
  using StreamPtr = std::unique_ptr<http::Stream>;

  // Owns a stream until it ends.
  http::Stream& keep(const http::Request& request) {
    auto made = std::make_unique<http::Stream>(host(), request);
    http::Stream& stream = *made;
    stream.on_closed([this, to = &stream](const http::Closed& closed) {
      streams_.erase(to);
      const std::lock_guard lock(stream_mutex);
      ended_streams.push_back({closed.code, closed.reason});
      stream_ended.notify_all();
    });
    streams_.emplace(&stream, std::move(made));
    return stream;
  }

  void add_web_socket(const http::Route& route) {
    routes_->add(route, [this](const http::Request& request) -> Result<http::Response> {
      if (request.query.text("refuse") == "yes") return http::error(409, "refused", "not today");
      http::Stream& stream = keep(request);
      stream.on_message([this, to = &stream](const http::Message& message) { command(*to, message); });
      stream.send("tenant=" + request.tenant + " user=" + request.username + " sub=" + request.subprotocol);
      return stream.accept();
    });
  }
  // Echoes messages, but for a few commands.
  void command(http::Stream& stream, const http::Message& message) {
    ++taken;
    const std::string text(message.data.view());
    if (text == "close") return stream.close(4001, "as you wish");
    if (text == "drop") return void(streams_.erase(&stream));
    if (text.starts_with("flood ")) {
      const Buffer block = Buffer::copy(std::string(100'000, 'x'));
      for (int i = std::atoi(text.c_str() + 6); i > 0; --i) stream.send(block);
      return;
    }
    stream.send(message.data, message.binary);
  }

  void add_web_sockets() {
    add_web_socket(stream_route("/s/echo", "websocket"));
    http::Route user = stream_route("/s/user", "websocket");
    user.role = "user";
    user.subprotocols = "chat.v2, chat.v1";
    add_web_socket(user);
    http::Route small = stream_route("/s/small", "websocket");
    small.max_message_bytes = 100;
    small.max_unsent_bytes = 300'000;
    add_web_socket(small);
    http::Route few = stream_route("/s/few", "websocket");
    few.max_per_address = 2;
    add_web_socket(few);
    http::Route tenant = stream_route("/s/few-tenant", "websocket");
    tenant.max_per_tenant = 1;
    add_web_socket(tenant);
    http::Route idle = stream_route("/s/idle", "websocket");
    idle.idle_ms = 200;
    add_web_socket(idle);
    http::Route ping = stream_route("/s/ping", "websocket");
    ping.ping_ms = 100;
    add_web_socket(ping);
    http::Route listed = stream_route("/s/listed", "websocket");
    listed.origins = "https://app.example, https://b.example:8443";
    add_web_socket(listed);
    http::Route bad = stream_route("/s/bad", "websocket");
    bad.method = "POST";
    add_web_socket(bad);
    http::Route odd = stream_route("/s/odd", "carrier-pigeon");
    add_web_socket(odd);
    // Does not answer messages until release_messages().
    routes_->add(
        stream_route("/s/hold", "websocket"), [this](const http::Request&) -> Result<http::Response> {
          auto listener = std::make_unique<Provision<http::StreamListener>>(host());
          listener->on(http::StreamListener::message, [this](const http::Message&, Reply<Empty> reply) {
            ++taken;
            held_.push_back(std::move(reply));
          });
          listener->on(http::StreamListener::closed,
                       [](const http::Closed&) -> Result<Empty> { return Empty{}; });
          http::Response response;
          response.listener = listener->handle();
          holding_.push_back(std::move(listener));
          return response;
        });
  }

  void add_events() {
    http::Route route = stream_route("/s/events", "events");
    route.ping_ms = 100;
    route.max_unsent_bytes = 300'000;
    routes_->add(route, [this](const http::Request& request) -> Result<http::Response> {
      if (request.headers.text("accept") == "application/json") return http::ok(R"({"events":[]})");
      http::Stream& stream = keep(request);
      const std::string last(request.headers.text("last-event-id"));
      stream.send_event({"1", "hello", Buffer::copy("after " + last + "\nsecond line")});
      stream.send_event({"", "", Buffer::copy("plain")});
      if (request.query.text("close") == "yes") stream.close();
      if (request.query.text("flood") == "yes")
        for (int i = 0; i < 1000; ++i) stream.send_event({"", "", Buffer::copy(std::string(100'000, 'x'))});
      http::Response response = stream.accept();
      response.headers.add("X-Stream", "yes");
      return response;
    });
  }

  std::unique_ptr<http::Routes> routes_;
  std::map<http::Stream*, StreamPtr> streams_;
  std::vector<std::unique_ptr<Provision<http::StreamListener>>> holding_;
  std::vector<Reply<Empty>> held_;
};

}  // namespace

const pb_entry* stream_plugin() { return &test::LinkedPlugin<StreamPlugin>::entry; }

EndedStream next_end() {
  std::unique_lock lock(stream_mutex);
  if (!stream_ended.wait_for(lock, std::chrono::seconds(60), [] { return !ended_streams.empty(); }))
    return {};
  const EndedStream end = ended_streams.front();
  ended_streams.pop_front();
  return end;
}

uint64_t messages_taken() { return taken; }

void release_messages() {
  const std::lock_guard lock(stream_mutex);
  if (release_held) release_held();
}

}  // namespace rest_api_test
