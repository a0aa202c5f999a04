#include "server_thread.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "asio_transport.h"
#include "reply_queue.h"
#include "request_id.h"

namespace patchbay::rest_api {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kTick{50};
// When descriptors are short, who came just now is given the time to say something.
constexpr std::chrono::milliseconds kIdleWhenShort{1000};

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
  for (const auto surface : {kPublic, kManagement, kLocal}) {
    PB_TRY_VALUE(set[index_of(surface)], Router::create(table, surface));
  }
  return set;
}

struct EdgeThread::Impl final : ConnectionHost {
  Impl(EdgeShared& s, RouterSet r)
      : shared(s), routers(std::move(r)), guard(loop.get_executor()), timer(loop) {}

  // Borrowed.
  EdgeShared& shared;
  // Owned.
  RouterSet routers;
  asio::io_context loop{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  asio::steady_timer timer;
  // Shared with exchanges that handlers keep, perhaps longer than the edge lives.
  std::shared_ptr<Mailbox> mailbox =
      std::make_shared<Mailbox>([this] { asio::post(loop, [this] { read_mail(); }); });
  std::unordered_map<uint64_t, std::shared_ptr<Connection>> connections;
  std::thread thread;
  // Only the newest waits for the thread, so that changes faster than it do not queue up before the requests.
  std::mutex next_mutex;
  std::optional<RouterSet> next_routers;
  // State.
  std::atomic<size_t> count{0};
  std::array<size_t, 3> open_by{};
  bool ticking = false;
  bool draining = false;
  std::time_t date_second = 0;
  std::string date_text;
  Mailbox::Direct::Sink direct = [this](Mailbox::Letter letter) { read_letter(std::move(letter)); };

  const EdgeLimits& limits() const noexcept override { return shared.limits; }
  const TrustedProxies& proxies() const noexcept override { return shared.proxies; }
  Router& router(Surface surface) noexcept override { return *routers[index_of(surface)]; }
  std::shared_ptr<ReplyPort> reply_port() const noexcept override { return mailbox; }
  Clock::time_point now() const noexcept override { return Clock::now(); }
  void count_refused() noexcept override { shared.refused.fetch_add(1, std::memory_order_relaxed); }
  void count_body_refused() noexcept override { shared.body_refused.fetch_add(1, std::memory_order_relaxed); }
  const std::shared_ptr<BodyBudget>& bodies() const noexcept override { return shared.bodies; }
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
    const Mailbox::Direct own_answers(*mailbox, connection, direct);
    try {
      if (!exchange->refusal) {
        shared.handlers.on_request(std::move(exchange));
      } else if (shared.handlers.on_refused) {
        shared.handlers.on_refused(std::move(exchange));
      } else {
        exchange->refuse();
      }
    } catch (...) {  // the exchange is dropped, or will be: that is the 500
    }
    exchange.reset();
  }

  bool show_head(uint64_t connection, const std::shared_ptr<Exchange>& exchange) noexcept override {
    if (!shared.handlers.on_head) return false;
    const auto proceed = [port = mailbox, connection] { port->proceed(connection); };
    const Mailbox::Direct own_answers(*mailbox, connection, direct);
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
    const auto closing = found->second;  // it calls this
    connections.erase(found);
    count.fetch_sub(1, std::memory_order_relaxed);
    shared.open.fetch_sub(1, std::memory_order_relaxed);
    const size_t surface = index_of(closing->facts().surface);
    --open_by[surface];
    shared.open_by[surface].fetch_sub(1, std::memory_order_relaxed);
    if (closing->facts().counted) shared.addresses.remove(closing->facts().peer);
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

  void read_letter(Mailbox::Letter letter) {
    const auto connection = find(letter.connection);
    if (!connection) return;
    switch (letter.kind) {
      case Mailbox::Letter::Kind::answer:
        return connection->answer(letter.slot, std::move(letter.response));
      case Mailbox::Letter::Kind::proceed:
        return connection->proceed();
      case Mailbox::Letter::Kind::send:
        return connection->stream_send(letter.response.body);
      case Mailbox::Letter::Kind::close:
        return connection->stream_close();
      case Mailbox::Letter::Kind::drop_body:
        return connection->drop_body();
    }
  }

  void read_mail() {
    for (auto& letter : mailbox->take()) read_letter(std::move(letter));
  }

  // Connections leave the map while they are told something; so they are told from a copy.
  template <class Tell>
  void tell_all(Tell tell) {
    std::vector<std::shared_ptr<Connection>> all;
    all.reserve(connections.size());
    for (const auto& [id, connection] : connections) all.push_back(connection);
    for (const auto& connection : all) tell(*connection);
  }

  void adopt(int fd, Connection::Facts facts, std::shared_ptr<TlsContext> tls) {
    if (draining || !make_space(facts.surface)) {
      if (!draining) shared.over_places.fetch_add(1, std::memory_order_relaxed);
      ::close(fd);
      if (facts.counted) shared.addresses.remove(facts.peer);
      return;
    }
    const size_t surface = index_of(facts.surface);
    ++open_by[surface];
    shared.open_by[surface].fetch_add(1, std::memory_order_relaxed);
    facts.id = shared.next_connection.fetch_add(1, std::memory_order_relaxed);
    facts.tls = tls != nullptr;
    const auto id = facts.id;
    auto connection =
        std::make_shared<Connection>(std::move(facts), make_transport(loop, fd, std::move(tls)), *this);
    connections.emplace(id, connection);
    count.fetch_add(1, std::memory_order_relaxed);
    shared.open.fetch_add(1, std::memory_order_relaxed);
    connection->start();
    tick();
  }

  // Each surface has places of its own, so that public clients cannot lock the operator out.
  bool make_space(Surface surface) {
    const auto most = surface == kPublic ? std::max<size_t>(1, shared.limits.max_connections / shared.threads)
                                         : shared.limits.max_reserved;
    return open_by[index_of(surface)] < most || shed_one(surface, std::chrono::milliseconds(0));
  }

  bool shed_one(Surface surface, std::chrono::milliseconds least_idle) {
    const auto now = Clock::now();
    std::shared_ptr<Connection> idle;
    std::shared_ptr<Connection> slow;
    Clock::duration longest = std::chrono::milliseconds(shared.limits.slow_ms);
    for (const auto& [id, connection] : connections) {
      if (connection->facts().surface != surface) continue;
      if (connection->is_idle() && (!idle || connection->last_activity() < idle->last_activity()))
        idle = connection;
      if (connection->lag(now) > longest) {
        longest = connection->lag(now);
        slow = connection;
      }
    }
    if (idle && idle->last_activity() + least_idle > now) idle = nullptr;
    const auto& chosen = idle ? idle : slow;
    if (!chosen) return false;
    auto& counter = idle ? shared.shed : slow->is_in_body() ? shared.shed_slow : shared.shed_readers;
    counter.fetch_add(1, std::memory_order_relaxed);
    chosen->abort();
    return true;
  }

  // Runs while there are connections, so that an idle process sleeps.
  void tick() {
    if (ticking || connections.empty()) return;
    ticking = true;
    timer.expires_after(kTick);
    timer.async_wait([this](const boost::system::error_code& error) {
      ticking = false;
      if (error) return;
      const auto time = Clock::now();
      tell_all([time](Connection& connection) { connection.tick(time); });
      tick();
    });
  }

  void finish() {
    draining = true;
    tell_all([](Connection& connection) { connection.abort(); });
    mailbox->shut();
    timer.cancel();
    guard.reset();
  }
};

EdgeThread::EdgeThread(EdgeShared& shared, RouterSet routers)
    : impl_(std::make_unique<Impl>(shared, std::move(routers))) {}

EdgeThread::~EdgeThread() = default;

void EdgeThread::start() {
  impl_->thread = std::thread([impl = impl_.get()] { impl->loop.run(); });
}

asio::io_context& EdgeThread::loop() noexcept { return impl_->loop; }

void EdgeThread::adopt(int fd, Connection::Facts facts, std::shared_ptr<TlsContext> tls) {
  asio::post(impl_->loop, [impl = impl_.get(), fd, facts = std::move(facts), tls = std::move(tls)]() mutable {
    impl->adopt(fd, std::move(facts), std::move(tls));
  });
}

void EdgeThread::set_routers(RouterSet routers) {
  const std::lock_guard lock(impl_->next_mutex);
  const bool announced = impl_->next_routers.has_value();
  impl_->next_routers = std::move(routers);
  if (!announced) asio::post(impl_->loop, [impl = impl_.get()] { impl->change_routers(); });
}

void EdgeThread::shed_one() {
  asio::post(impl_->loop, [impl = impl_.get()] { impl->shed_one(kPublic, kIdleWhenShort); });
}

void EdgeThread::post(std::function<void()> work) { asio::post(impl_->loop, std::move(work)); }

void EdgeThread::drain() {
  asio::post(impl_->loop, [impl = impl_.get()] {
    impl->draining = true;
    impl->tell_all([](Connection& connection) { connection.drain(); });
  });
}

void EdgeThread::finish() {
  asio::post(impl_->loop, [impl = impl_.get()] { impl->finish(); });
}

void EdgeThread::join() {
  if (impl_->thread.joinable()) impl_->thread.join();
}

size_t EdgeThread::connections() const noexcept { return impl_->count.load(std::memory_order_relaxed); }

}  // namespace patchbay::rest_api
