#include "http_server.h"

#include <csignal>
#include <future>
#include <thread>

#include "listener.h"
#include "server_thread.h"

namespace patchbay::rest_api {

struct HttpServer::Impl {
  // Destroyed in reverse order: listeners before the threads whose loop they use.
  ServerConfig config;
  const std::shared_ptr<ServerShared> shared = std::make_shared<ServerShared>();
  std::vector<std::unique_ptr<ServerThread>> threads;
  HandlerWatch watch{[this](Clock::time_point now) {
    for (const auto& thread : threads) thread->check(now);
  }};
  std::vector<std::unique_ptr<Listener>> listeners;
  bool stopped = false;

  // Runs `work` on the listeners' thread and waits for it. May be called on that thread, because it runs the
  // strands of its requests (run_on() in patchbay/strand.h).
  void on_first_thread(const std::function<void()>& work) {
    if (threads.front()->run_in_handler(work)) return;
    std::promise<void> done;
    threads.front()->post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { stop(std::chrono::milliseconds(0)); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerConfig config, const RouteTable& routes,
                                                      ServerHandlers handlers) {
  auto impl = std::make_unique<Impl>();
  PB_TRY_VALUE(impl->shared->proxies, TrustedProxies::parse(config.trusted_proxies));
  impl->shared->limits = config.limits;
  impl->shared->hsts_sec = config.hsts_sec;
  const size_t bodies = std::max(config.limits.max_bodies, config.limits.max_body);
  const size_t of_client = std::max(bodies / kBodyBudgetShares, config.limits.max_body);
  impl->shared->limits.max_route_body = std::min(config.limits.max_route_body, of_client);
  const auto grace = std::chrono::milliseconds(config.limits.slow_ms);
  impl->shared->bodies = std::make_shared<BodyBudget>(bodies, of_client, grace);
  // A reader that keeps up is not cut off, however long its response takes.
  impl->shared->response_bodies = std::make_shared<BodyBudget>(bodies, of_client, grace, grace);
  impl->shared->handlers = std::move(handlers);
  impl->shared->watch = &impl->watch;
  impl->shared->threads = std::max(1U, config.threads);
  impl->config = std::move(config);
  for (unsigned i = 0; i < impl->shared->threads; ++i) {
    PB_TRY_VALUE(auto routers, make_routers(routes));
    impl->threads.push_back(std::make_unique<ServerThread>(impl->shared, std::move(routers)));
  }
  for (const auto& listener : impl->config.listeners) {
    PB_TRY_VALUE(auto opened, Listener::open(listener, impl->threads, *impl->shared));
    impl->listeners.push_back(std::move(opened));
  }
  for (const auto& thread : impl->threads) thread->start();
  impl->on_first_thread([&] {
    for (const auto& listener : impl->listeners) listener->start();
  });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

Status HttpServer::set_routes(const RouteTable& routes) {
  std::vector<RouterSet> sets;
  for (size_t i = 0; i < impl_->threads.size(); ++i) {
    PB_TRY_VALUE(auto set, make_routers(routes));
    sets.push_back(std::move(set));
  }
  for (size_t i = 0; i < sets.size(); ++i) impl_->threads[i]->set_routers(std::move(sets[i]));
  return {};
}

Status HttpServer::reload_tls() {
  std::vector<std::shared_ptr<TlsContext>> contexts;
  for (const auto& listener : impl_->config.listeners) {
    contexts.emplace_back();
    if (!listener.tls) continue;
    PB_TRY_VALUE(contexts.back(), load_tls(*listener.tls));
  }
  impl_->on_first_thread([&] {
    for (size_t i = 0; i < contexts.size(); ++i) impl_->listeners[i]->set_tls(std::move(contexts[i]));
  });
  return {};
}

Result<bool> HttpServer::recreate_sockets() {
  bool made = false;
  Status failed;
  impl_->on_first_thread([&] {
    for (const auto& listener : impl_->listeners) {
      auto recreated = listener->recreate();
      made = made || (recreated && *recreated);
      if (!recreated) failed = std::move(recreated).error();
    }
  });
  if (!failed) return failed.error();
  return made;
}

uint16_t HttpServer::port(size_t index) const noexcept {
  return index < impl_->listeners.size() ? impl_->listeners[index]->port() : uint16_t{0};
}

ServerStats HttpServer::stats() const noexcept {
  const ServerShared& shared = *impl_->shared;
  ServerStats stats;
  stats.accepted = shared.accepted.load();
  stats.open = shared.open.load();
  for (size_t i = 0; i < stats.open_by.size(); ++i) stats.open_by[i] = shared.open_by[i].load();
  stats.requests = shared.requests.load();
  stats.refused = shared.refused.load();
  stats.shed = shared.shed.load();
  stats.shed_slow = shared.shed_slow.load();
  stats.shed_readers = shared.shed_readers.load();
  stats.over_address = shared.over_address.load();
  stats.over_capacity = shared.over_capacity.load();
  stats.body_refused = shared.body_refused.load();
  stats.body_dropped = shared.bodies->dropped();
  stats.body_bytes = shared.bodies->held();
  stats.blocked_calls = shared.blocked_calls.load();
  stats.response_refused = shared.response_refused.load();
  stats.response_bytes = shared.response_bodies->held();
  return stats;
}

void HttpServer::stop(std::chrono::milliseconds drain) noexcept {
  if (impl_->stopped) return;
  impl_->stopped = true;
  impl_->on_first_thread([&] {
    for (const auto& listener : impl_->listeners) listener->close();
  });
  for (const auto& thread : impl_->threads) thread->drain();
  const auto deadline = Clock::now() + drain;
  while (impl_->shared->open.load() > 0 && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (const auto& thread : impl_->threads) thread->stop();
  for (const auto& thread : impl_->threads) thread->wait_for_end();
  impl_->watch.stop();
  for (const auto& thread : impl_->threads) thread->join();
}

}  // namespace patchbay::rest_api
