#include "server_thread.h"

#include <pthread.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>

#include "asio_transport.h"
#include "eviction.h"
#include "limits.h"
#include "reply_queue.h"
#include "request_id.h"

namespace patchbay::rest_api {
namespace {

namespace asio = boost::asio;

std::string http_date(std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[parts.tm_wday], parts.tm_mday,
                kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

}  // namespace

Result<RouterSet> make_routers(const RouteTable& table) {
  RouterSet set;
  for (const auto role : {kPublic, kManagement, kLocal}) {
    PB_TRY_VALUE(set[index_of(role)], Router::create(table, role));
  }
  return set;
}

struct ServerThread::Impl final : ConnectionHost {
  Impl(ServerShared& s, RouterSet r)
      : shared(s), routers(std::move(r)), guard(loop.get_executor()), timer(loop) {}

  // Borrowed.
  ServerShared& shared;
  // Owned.
  RouterSet routers;
  asio::io_context loop{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  asio::steady_timer timer;
  // Shared with exchanges, which may outlive the server.
  std::shared_ptr<ReplyQueue> replies =
      std::make_shared<ReplyQueue>([this] { asio::post(loop, [this] { run_commands(); }); });
  ConnectionMap connections;
  std::thread thread;
  // Only the newest table is kept, so that frequent changes do not queue up before requests.
  std::mutex next_mutex;
  std::optional<RouterSet> next_routers;
  // State.
  std::atomic<size_t> count{0};
  std::array<size_t, 3> open_by{};
  bool ticking = false;
  bool draining = false;
  std::time_t date_second = 0;
  std::string date_text;
  ReplyQueue::Inline::Sink run_inline = [this](ReplyQueue::Command command) {
    run_command(std::move(command));
  };

  const ServerLimits& limits() const noexcept override { return shared.limits; }
  const TrustedProxies& proxies() const noexcept override { return shared.proxies; }
  Router& router(ListenerRole role) noexcept override { return *routers[index_of(role)]; }
  std::shared_ptr<ReplyPort> reply_port() const noexcept override { return replies; }
  Clock::time_point now() const noexcept override { return Clock::now(); }
  void count_refused() noexcept override { shared.refused.fetch_add(1, std::memory_order_relaxed); }
  void count_body_refused() noexcept override { shared.body_refused.fetch_add(1, std::memory_order_relaxed); }
  void count_response_refused() noexcept override {
    shared.response_refused.fetch_add(1, std::memory_order_relaxed);
  }
  const std::shared_ptr<BodyBudget>& bodies() const noexcept override { return shared.bodies; }
  const std::shared_ptr<BodyBudget>& response_bodies() const noexcept override {
    return shared.response_bodies;
  }
  std::string new_request_id() override { return make_request_id(); }
  uint32_t hsts_sec() const noexcept override { return shared.hsts_sec; }

  std::string_view date() override {
    timespec now{};
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != date_second) {
      date_second = now.tv_sec;
      date_text = http_date(now.tv_sec);
    }
    return date_text;
  }

  void dispatch(uint64_t connection, std::shared_ptr<Exchange> exchange) noexcept override {
    shared.requests.fetch_add(1, std::memory_order_relaxed);
    const ReplyQueue::Inline inline_delivery(*replies, connection, run_inline);
    try {
      if (!exchange->refusal) {
        shared.handlers.on_request(std::move(exchange));
      } else if (shared.handlers.on_refused) {
        shared.handlers.on_refused(std::move(exchange));
      } else {
        exchange->refuse();
      }
    } catch (...) {  // the dropped exchange answers 500
    }
    exchange.reset();
  }

  bool authorize_head(uint64_t connection, const std::shared_ptr<Exchange>& exchange) noexcept override {
    if (!shared.handlers.on_head) return false;
    const auto proceed = [port = replies, connection] { port->proceed(connection); };
    const ReplyQueue::Inline inline_delivery(*replies, connection, run_inline);
    try {
      shared.handlers.on_head(exchange, proceed);
    } catch (...) {
      proceed();
    }
    return true;
  }

  void closed(uint64_t connection) noexcept override {
    const auto found = connections.find(connection);
    if (found == connections.end()) return;
    const auto closing = found->second;  // keeps the caller alive
    connections.erase(found);
    count.fetch_sub(1, std::memory_order_relaxed);
    shared.open.fetch_sub(1, std::memory_order_relaxed);
    const size_t role = index_of(closing->info().listener_role);
    --open_by[role];
    shared.open_by[role].fetch_sub(1, std::memory_order_relaxed);
    if (closing->info().counted) shared.addresses.remove(closing->info().peer);
  }

  std::shared_ptr<Connection> find(uint64_t id) const {
    const auto found = connections.find(id);
    return found == connections.end() ? nullptr : found->second;
  }

  void change_routers() {
    const std::lock_guard lock(next_mutex);
    if (!next_routers) return;
    routers = std::move(*next_routers);
    next_routers.reset();
  }

  void run_command(ReplyQueue::Command command) {
    const auto connection = find(command.connection);
    if (!connection) return;
    switch (command.kind) {
      case ReplyQueue::Command::Kind::answer:
        return connection->respond(command.slot, std::move(command.response));
      case ReplyQueue::Command::Kind::proceed:
        return connection->proceed();
      case ReplyQueue::Command::Kind::send:
        return connection->stream_send(command.response.body);
      case ReplyQueue::Command::Kind::close:
        return connection->stream_close();
      case ReplyQueue::Command::Kind::drop_body:
        return connection->drop_body();
      case ReplyQueue::Command::Kind::drop_reader:
        if (connection->drop_reader()) shared.shed_readers.fetch_add(1, std::memory_order_relaxed);
        return;
    }
  }

  void run_commands() {
    for (auto& command : replies->take()) run_command(std::move(command));
  }

  // Calls a copy of the map, because connections remove themselves from it.
  template <class Call>
  void for_each_connection(Call call) {
    std::vector<std::shared_ptr<Connection>> all;
    all.reserve(connections.size());
    for (const auto& [id, connection] : connections) all.push_back(connection);
    for (const auto& connection : all) call(*connection);
  }

  void adopt(int fd, Connection::Info info, std::shared_ptr<TlsContext> tls) {
    if (draining || !make_room(info.listener_role)) {
      if (!draining) shared.over_capacity.fetch_add(1, std::memory_order_relaxed);
      ::close(fd);
      if (info.counted) shared.addresses.remove(info.peer);
      return;
    }
    const size_t role = index_of(info.listener_role);
    ++open_by[role];
    shared.open_by[role].fetch_add(1, std::memory_order_relaxed);
    info.id = shared.next_connection.fetch_add(1, std::memory_order_relaxed);
    info.tls = tls != nullptr;
    const auto id = info.id;
    auto connection =
        std::make_shared<Connection>(std::move(info), make_transport(loop, fd, std::move(tls)), *this);
    connections.emplace(id, connection);
    count.fetch_add(1, std::memory_order_relaxed);
    shared.open.fetch_add(1, std::memory_order_relaxed);
    connection->start();
    tick();
  }

  // Each role has its own limit, so that public clients cannot lock the operator out.
  bool make_room(ListenerRole role) {
    const auto max = role == kPublic ? std::max<size_t>(1, shared.limits.max_connections / shared.threads)
                                     : shared.limits.max_reserved;
    return open_by[index_of(role)] < max || shed_one(role, std::chrono::milliseconds(0));
  }

  bool shed_one(ListenerRole role, std::chrono::milliseconds min_idle) {
    const auto chosen = choose_eviction(connections, role, min_idle,
                                        std::chrono::milliseconds(shared.limits.slow_ms), Clock::now());
    if (!chosen) return false;
    auto& counter = chosen->reason == Eviction::Reason::idle        ? shared.shed
                    : chosen->reason == Eviction::Reason::slow_body ? shared.shed_slow
                                                                    : shared.shed_readers;
    counter.fetch_add(1, std::memory_order_relaxed);
    chosen->connection->close();
    return true;
  }

  // Runs only while there are connections, so that an idle process sleeps.
  void tick() {
    if (ticking || connections.empty()) return;
    ticking = true;
    timer.expires_after(std::chrono::milliseconds(kTimeoutCheckMs));
    timer.async_wait([this](const boost::system::error_code& error) {
      ticking = false;
      if (error) return;
      const auto time = Clock::now();
      for_each_connection([time](Connection& connection) { connection.tick(time); });
      tick();
    });
  }

  void stop() {
    draining = true;
    for_each_connection([](Connection& connection) { connection.close(); });
    replies->stop();
    timer.cancel();
    guard.reset();
  }
};

ServerThread::ServerThread(ServerShared& shared, RouterSet routers)
    : impl_(std::make_unique<Impl>(shared, std::move(routers))) {}

ServerThread::~ServerThread() = default;

void ServerThread::start() {
  impl_->thread = std::thread([impl = impl_.get()] {
    pthread_setname_np(pthread_self(), "pb-http");
    impl->loop.run();
  });
}

asio::io_context& ServerThread::loop() noexcept { return impl_->loop; }

void ServerThread::adopt(int fd, Connection::Info info, std::shared_ptr<TlsContext> tls) {
  asio::post(impl_->loop, [impl = impl_.get(), fd, info = std::move(info), tls = std::move(tls)]() mutable {
    impl->adopt(fd, std::move(info), std::move(tls));
  });
}

void ServerThread::set_routers(RouterSet routers) {
  const std::lock_guard lock(impl_->next_mutex);
  const bool announced = impl_->next_routers.has_value();
  impl_->next_routers = std::move(routers);
  if (!announced) asio::post(impl_->loop, [impl = impl_.get()] { impl->change_routers(); });
}

void ServerThread::shed_one() {
  asio::post(impl_->loop, [impl = impl_.get()] {
    impl->shed_one(kPublic, std::chrono::milliseconds(kMinIdleWhenShortMs));
  });
}

void ServerThread::post(std::function<void()> work) { asio::post(impl_->loop, std::move(work)); }

void ServerThread::drain() {
  asio::post(impl_->loop, [impl = impl_.get()] {
    impl->draining = true;
    impl->for_each_connection([](Connection& connection) { connection.drain(); });
  });
}

void ServerThread::stop() {
  asio::post(impl_->loop, [impl = impl_.get()] { impl->stop(); });
}

void ServerThread::join() {
  if (impl_->thread.joinable()) impl_->thread.join();
}

bool ServerThread::is_current() const noexcept {
  return impl_->thread.get_id() == std::this_thread::get_id();
}

size_t ServerThread::connections() const noexcept { return impl_->count.load(std::memory_order_relaxed); }

}  // namespace patchbay::rest_api
