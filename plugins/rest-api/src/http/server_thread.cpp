#include "server_thread.h"

#include <pthread.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <ctime>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "asio_transport.h"
#include "eviction.h"
#include "limits.h"
#include "loop_owner.h"
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

struct ServerThread::Impl final : ConnectionHost, std::enable_shared_from_this<Impl> {
  Impl(std::shared_ptr<ServerShared> s, RouterSet r)
      : held(std::move(s)), shared(*held), routers(std::move(r)), guard(loop.get_executor()), timer(loop) {}

  // A request that waits for its handler, which is called between two events.
  struct WaitingRequest {
    uint64_t connection = 0;
    std::shared_ptr<Exchange> exchange;
    bool only_head = false;  // for on_head
  };

  // The handler call that a thread is in.
  struct HandlerCall {
    Impl* loop = nullptr;
    LoopOwner::Call number = 0;
  };
  static inline thread_local HandlerCall* current = nullptr;

  // Owned.
  const std::shared_ptr<ServerShared> held;
  ServerShared& shared;
  RouterSet routers;
  asio::io_context loop{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  asio::steady_timer timer;
  // Shared with exchanges, which may outlive the server.
  std::shared_ptr<ReplyQueue> replies =
      std::make_shared<ReplyQueue>([this] { asio::post(loop, [this] { run_commands(); }); });
  ConnectionMap connections;
  std::deque<WaitingRequest> waiting;
  // Used by the watch, and after it has stopped by join().
  std::thread thread;   // the loop's
  std::thread blocked;  // lost the loop; until it has exited
  LoopOwner::Call seen_call = 0;
  Clock::time_point seen_since{};
  // Only the newest table is kept, so that frequent changes do not queue up before requests.
  std::mutex next_mutex;
  std::optional<RouterSet> next_routers;
  // State.
  LoopOwner owner;
  std::atomic<bool> has_blocked{false};  // a thread that lost the loop has not exited yet
  std::promise<void> ended;
  std::atomic<size_t> count{0};
  std::array<size_t, 3> open_by{};
  bool ticking = false;
  bool draining = false;
  std::time_t date_second = 0;
  std::string date_text;
  ReplyQueue::Inline::Sink run_inline = [this](ReplyQueue::Command& command) {
    return run_in_handler([&] { run_command(std::move(command)); });
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
    waiting.push_back({connection, std::move(exchange), false});
  }

  bool authorize_head(uint64_t connection, const std::shared_ptr<Exchange>& exchange) noexcept override {
    if (!shared.handlers.on_head) return false;
    waiting.push_back({connection, exchange, true});
    return true;
  }

  void call_handler(WaitingRequest request) {
    request.exchange->may_run_here = !has_blocked.load(std::memory_order_acquire);
    if (request.only_head) {
      const auto proceed = [port = replies, connection = request.connection] { port->proceed(connection); };
      try {
        shared.handlers.on_head(std::move(request.exchange), proceed);
      } catch (...) {
        proceed();
      }
      return;
    }
    try {
      if (!request.exchange->refusal) {
        shared.handlers.on_request(std::move(request.exchange));
      } else if (shared.handlers.on_refused) {
        shared.handlers.on_refused(std::move(request.exchange));
      } else {
        request.exchange->refuse();
      }
    } catch (...) {  // the dropped exchange answers 500
    }
  }

  // Calls the handlers of the waiting requests. False: another thread has taken the loop over.
  bool call_handlers() {
    while (!waiting.empty()) {
      WaitingRequest request = std::move(waiting.front());
      waiting.pop_front();
      const uint64_t connection = request.connection;
      const bool only_head = request.only_head;
      const uint64_t slot = only_head ? 0 : request.exchange->slot();
      HandlerCall call{this, owner.release()};
      current = &call;
      {
        const ReplyQueue::Inline inline_delivery(*replies, connection, run_inline);
        call_handler(std::move(request));
      }
      current = nullptr;
      if (!owner.reclaim(call.number)) return false;
      const auto called = only_head ? nullptr : find(connection);
      if (called) called->handler_returned(slot);
    }
    return true;
  }

  // Runs work() on the loop if a handler called by this thread is the caller. False: it is not, or another
  // thread has taken the loop over.
  template <class Work>
  bool run_in_handler(const Work& work) {
    if (current == nullptr || current->loop != this || !owner.reclaim(current->number)) return false;
    work();
    current->number = owner.release();
    return true;
  }

  // Runs the loop until it ends or another thread has taken it over.
  void run() {
    do {
      if (!call_handlers()) return has_blocked.store(false, std::memory_order_release);
    } while (loop.run_one() > 0);
    ended.set_value();
  }

  // Starts a thread that runs the loop once start() has set its promise to true.
  std::thread make_thread(std::future<bool> start) {
    return std::thread([self = shared_from_this(), start = std::move(start)]() mutable {
      pthread_setname_np(pthread_self(), "pb-http");
      if (start.get()) self->run();
    });
  }

  void check(Clock::time_point now) {
    if (blocked.joinable() && !has_blocked.load(std::memory_order_acquire)) blocked.join();
    const LoopOwner::Call call = owner.running();
    if (call == 0 || call != seen_call) {
      seen_call = call;
      seen_since = now;
    } else if (!blocked.joinable() && now - seen_since >= std::chrono::milliseconds(kMaxHandlerCallMs)) {
      replace_thread(call);
    }
  }

  void replace_thread(LoopOwner::Call call) {
    std::promise<bool> start;
    std::thread spare;
    try {
      spare = make_thread(start.get_future());
    } catch (const std::system_error&) {
      return;  // out of threads; the next check tries again
    }
    has_blocked = true;  // before the blocked thread can know, which resets it
    const bool taken = owner.take_over(call);
    if (!taken) has_blocked = false;
    start.set_value(taken);
    if (!taken) return spare.join();
    shared.blocked_calls.fetch_add(1, std::memory_order_relaxed);
    blocked = std::exchange(thread, std::move(spare));
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
      case ReplyQueue::Command::Kind::wake:
        return connection->stream_wake();
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
    shared.watch->begin();
    await_tick();
  }

  void await_tick() {
    timer.expires_after(std::chrono::milliseconds(kTimeoutCheckMs));
    timer.async_wait([this](const boost::system::error_code& error) {
      const auto time = Clock::now();
      if (!error) for_each_connection([time](Connection& connection) { connection.tick(time); });
      if (!error && !connections.empty()) return await_tick();
      ticking = false;
      shared.watch->end();
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

ServerThread::ServerThread(std::shared_ptr<ServerShared> shared, RouterSet routers)
    : impl_(std::make_shared<Impl>(std::move(shared), std::move(routers))) {}

ServerThread::~ServerThread() = default;

void ServerThread::start() {
  std::promise<bool> start;
  impl_->thread = impl_->make_thread(start.get_future());
  start.set_value(true);
}

void ServerThread::check(Clock::time_point now) { impl_->check(now); }

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

void ServerThread::wait_for_end() { impl_->ended.get_future().wait(); }

void ServerThread::join() {
  if (impl_->thread.joinable()) impl_->thread.join();
  if (!impl_->blocked.joinable()) return;
  if (impl_->has_blocked.load(std::memory_order_acquire))
    impl_->blocked.detach();
  else
    impl_->blocked.join();
}

bool ServerThread::run_in_handler(const std::function<void()>& work) { return impl_->run_in_handler(work); }

size_t ServerThread::connections() const noexcept { return impl_->count.load(std::memory_order_relaxed); }

}  // namespace patchbay::rest_api
