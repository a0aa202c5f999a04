// The octets of one client through Connection, head parser, body reader, router and response writer. The
// answers must not depend on how the octets are divided into reads.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/connection.h"

using namespace patchbay::rest_api;

namespace {

// Completes operations one after another, from a queue; reads take `piece` octets at most.
class Wire {
 public:
  Wire(std::string_view input, size_t piece) : input_(input), piece_(piece) {}

  void run() {
    while (!queue_.empty()) {
      const auto next = std::move(queue_.front());
      queue_.pop_front();
      next();
    }
  }

  std::string_view input_;
  const size_t piece_;
  std::string output_;
  bool closed_ = false;
  std::deque<std::function<void()>> queue_;
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(Wire& wire) : wire_(wire) {}
  void start(Client client) override {
    wire_.queue_.emplace_back([client] { client->on_ready(IoResult::ok); });
  }
  void read(char* buffer, size_t size, Client client) override {
    wire_.queue_.emplace_back([this, buffer, size, client] {
      const auto count = std::min({size, wire_.piece_, wire_.input_.size()});
      if (wire_.closed_) return client->on_read(IoResult::failed, 0);
      if (count == 0) return client->on_read(IoResult::eof, 0);
      std::memcpy(buffer, wire_.input_.data(), count);
      wire_.input_.remove_prefix(count);
      client->on_read(IoResult::ok, count);
    });
  }
  void write(const WritePieces& pieces, Client client) override {
    size_t size = 0;
    for (const std::string_view piece : pieces) {
      wire_.output_ += piece;
      size += piece.size();
    }
    wire_.queue_.emplace_back([client, size] { client->on_written(IoResult::ok, size); });
  }
  void linger(Client client) override {
    wire_.queue_.emplace_back([client] { client->on_lingered(); });
  }
  void close() noexcept override { wire_.closed_ = true; }

 private:
  Wire& wire_;
};

Router& shared_router() {
  static const auto router = [] {
    auto made = Router::create({{1, Method::get, "/a/{x}", {}, kPublic, false},
                                {2, Method::post, "/a", {}, kPublic, false},
                                {3, Method::get, "/s", Discriminator{"k", "v"}, kPublic, false},
                                {4, Method::get, "/s", {}, kPublic, true},
                                {5, Method::post, "/b", {}, kPublic, false, false, true}},
                               kPublic);
    if (!made) std::abort();
    return *std::move(made);
  }();
  return *router;
}

struct Host final : ConnectionHost {
  ServerLimits server_limits = [] {
    ServerLimits limits;
    limits.answer_ms = 120'000;
    limits.max_head = 1024;
    limits.max_fields = 10;
    limits.max_body = 512;
    limits.max_pipelined = 4;
    return limits;
  }();
  std::shared_ptr<BodyBudget> budget = std::make_shared<BodyBudget>(1024, 512, std::chrono::seconds(5));
  TrustedProxies trusted = *TrustedProxies::parse({"unix"});
  std::shared_ptr<Connection> connection;

  // Answers at once: the port is called within dispatch.
  struct Port final : ReplyPort {
    explicit Port(Host& h) : host(h) {}
    void wake(uint64_t) noexcept override {}
    void close(uint64_t) noexcept override {}
    void proceed(uint64_t) noexcept override {}
    void drop_body(uint64_t) noexcept override {}
    void drop_reader(uint64_t) noexcept override {}
    void deliver(uint64_t, uint64_t slot, Response response) noexcept override {
      if (host.connection) host.connection->respond(slot, std::move(response));
    }
    Host& host;
  };
  std::shared_ptr<Port> port = std::make_shared<Port>(*this);

  const ServerLimits& limits() const noexcept override { return server_limits; }
  const TrustedProxies& proxies() const noexcept override { return trusted; }
  Router& router(ListenerRole) noexcept override { return shared_router(); }
  std::shared_ptr<ReplyPort> reply_port() const noexcept override { return port; }
  std::string_view date() override { return "Thu, 01 Jan 1970 00:00:00 GMT"; }
  Clock::time_point now() const noexcept override { return {}; }
  void count_refused() noexcept override {}
  void count_body_refused() noexcept override {}
  void count_response_refused() noexcept override {}
  const std::shared_ptr<BodyBudget>& bodies() const noexcept override { return budget; }
  const std::shared_ptr<BodyBudget>& response_bodies() const noexcept override { return budget; }
  uint32_t hsts_sec() const noexcept override { return 0; }
  std::string new_request_id() override { return "0123456789abcdef"; }
  void closed(uint64_t) noexcept override {}
  bool authorize_head(uint64_t, const std::shared_ptr<Exchange>& exchange) noexcept override {
    if (*exchange->header("authorization") == "no") exchange->refusal = Refusal{401, "invalid_token", "no"};
    connection->proceed();
    return true;
  }
  void dispatch(uint64_t, std::shared_ptr<Exchange> exchange) noexcept override {
    if (exchange->refusal) {
      exchange->refuse();
      return;
    }
    std::string text = std::to_string(exchange->route) + exchange->client + exchange->host;
    for (const auto& [name, value] : exchange->params) text += name + "=" + value;
    for (const auto& [name, value] : exchange->query) text += name + "=" + value;
    exchange->reply(200, {}, text + exchange->body);
  }
};

std::string answers(std::string_view input, size_t piece) {
  Wire wire(input, piece);
  Host host;
  host.connection = std::make_shared<Connection>(Connection::Info{1, "unix", kPublic, false},
                                                 std::make_unique<FakeTransport>(wire), host);
  host.connection->start();
  wire.run();
  if (!wire.closed_) std::abort();  // the input has ended: so must the connection
  static constexpr std::string_view kInterim = "HTTP/1.1 100 Continue\r\n\r\n";
  for (size_t at = 0; (at = wire.output_.find(kInterim, at)) != std::string::npos;)
    wire.output_.erase(at, kInterim.size());
  return wire.output_;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto whole = answers(input, SIZE_MAX);
  if (answers(input, 1) != whole || answers(input, 7) != whole) std::abort();
  return 0;
}
