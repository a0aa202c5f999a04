#include <patchbay/plugin.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <thread>

#include "api/dispatcher.h"
#include "api/housekeeping.h"
#include "api/management_routes.h"
#include "api/openapi.h"
#include "api/service_root.h"
#include "audit/audit_log.h"
#include "audit/audit_routes.h"
#include "http/tls.h"
#include "listening_file.h"

namespace patchbay::rest_api {
namespace {

class RestApi final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(settings_, Settings::read(config));
    parts_ = std::make_unique<Parts>(
        host(), settings_, [this](const RouteTable& table) { publish(table); },
        [this] { reload_certificates(); }, [this] { recreate_sockets(); });
    PB_TRY(add_builtin_routes());
    Status open = serve();
    if (!open && server_) {  // its threads run strands, so none may be left when the plugin is destroyed
      server_.reset();
      std::remove(settings_.listening_file.c_str());
    }
    return open;
  }

  Status check_config(const Config& config) override {
    PB_TRY_VALUE(const Settings next, Settings::read(config));
    for (const ListenerConfig& listener : next.server.listeners)
      if (listener.tls) PB_TRY(load_tls(*listener.tls));
    if (settings_.needs_restart(next)) return {Code::unsupported, "needs a restart"};
    return {};
  }

  void reconfigure(const Config& config) override {
    auto next = Settings::read(config);
    if (next) {
      settings_.tenants = std::move(next->tenants);
      parts_->audit.configure(next->audit_keep_ms);
    }
    reload_certificates();
  }

  // Accepts nothing new and answers the requests in flight.
  void drain(Done done) override {
    parts_->dispatcher.shorten_deadlines();
    auto shared = std::make_shared<Done>(std::move(done));
    stop_server(settings_.drain, [shared] { (*shared)(); });
  }

  // Destroys the parts after the server, whose threads refer to them, on their strand.
  void stop(Done done) override {
    auto shared = std::make_shared<Done>(std::move(done));
    stop_server(std::chrono::milliseconds(0), [this, shared] {
      parts_.reset();
      (*shared)();
    });
  }

  struct Parts {
    Parts(const Host& host, const Settings& settings, std::function<void(const RouteTable&)> publish,
          std::function<void()> reload_tls, std::function<void()> recreate_sockets)
        : registry(host, std::move(publish)),
          access_log(host),
          metrics(host),
          dispatcher(host, settings, registry, access_log, metrics),
          housekeeping(host, settings, registry, std::move(reload_tls), std::move(recreate_sockets)),
          http(host),
          audit(host),
          audit_routes(host) {}
    RouteRegistry registry;
    AccessLog access_log;
    ServerMetrics metrics;
    Dispatcher dispatcher;
    Housekeeping housekeeping;
    Provision<http::Http> http;
    AuditLog audit;
    AuditRoutes audit_routes;
    std::string socket_error;  // of the admin socket; "": it is reachable
    Lifetime alive;
  };

  Status add_builtin_routes() {
    PB_TRY(add_service_root(parts_->registry));
    PB_TRY(add_openapi(parts_->registry, host()));
    const auto update_metrics = [this] {
      if (server_) parts_->metrics.update(server_->stats());
    };
    return add_management_routes(parts_->registry, host(), update_metrics, parts_->socket_error);
  }

  Status serve() {
    PB_TRY(start_server());
    parts_->http.on(http::Http::add_route, [this](http::Route route) -> Result<http::Registered> {
      return parts_->registry.add(std::move(route));
    });
    PB_TRY(parts_->http.publish());
    parts_->audit.configure(settings_.audit_keep_ms);
    parts_->audit_routes.open();
    return parts_->audit.open();
  }

  // Runs task() on the main strand: on the calling server thread, if the strand is idle, unless the server
  // needs the thread.
  template <class Task>
  static void run_task(const Host& host, bool may_run_here, Task task) {
    if (may_run_here)
      run_on(host, kMainStrand, std::move(task));
    else
      post(host, kMainStrand, std::move(task));
  }

  Status start_server() {
    // [server thread] `alive` is bound here and read on the main strand. A call that blocks is in strand_run,
    // after which it uses nothing of the plugin, so it may outlive it.
    const auto on_request = [this, &host = host(),
                             alive = &parts_->alive](std::shared_ptr<Exchange> exchange) {
      const bool here = exchange->may_run_here;
      run_task(host, here,
               alive->bind([this, exchange = std::move(exchange), started = host.mono_ns()]() mutable {
                 parts_->dispatcher.serve(std::move(exchange), started);
               }));
    };
    const auto on_head = [this, &host = host(), alive = &parts_->alive](std::shared_ptr<Exchange> exchange,
                                                                        std::function<void()> proceed) {
      const bool here = exchange->may_run_here;
      run_task(host, here,
               alive->bind([this, exchange = std::move(exchange), proceed = std::move(proceed)]() mutable {
                 parts_->dispatcher.authorize_head(std::move(exchange), std::move(proceed));
               }));
    };
    PB_TRY_VALUE(auto server, HttpServer::start(settings_.server, parts_->registry.table(),
                                                {on_request, on_request, on_head}));
    server_ = std::move(server);
    const auto bound = bound_addresses(*server_, settings_.server.listeners);
    for (const Bound& one : bound)
      log().info("listening", {{"listener", listener_role_name(one.role)}, {"address", one.address}});
    return write_listening_file(settings_.listening_file, bound);
  }

  void publish(const RouteTable& table) {
    if (!server_) return;
    if (const Status done = server_->set_routes(table); !done)
      log().error("the routes could not be changed", {{"why", done.error().text}});
  }

  void reload_certificates() {
    if (!server_) return;
    if (const Status done = server_->reload_tls(); !done)
      return log().error("the certificates could not be reloaded", {{"why", done.error().text}});
    log().info("the certificates were reloaded");
  }

  // A cleanup of /run or /tmp may remove the admin socket.
  void recreate_sockets() {
    if (!server_) return;
    const auto recreated = server_->recreate_sockets();
    const std::string error = recreated ? std::string() : recreated.error().text;
    if (recreated && *recreated) log().warn("the admin socket had been removed and was recreated");
    if (!error.empty() && error != parts_->socket_error)
      log().error("the admin socket had been removed and could not be recreated", {{"why", error}});
    parts_->socket_error = error;
  }

  // Stops the server on a worker, because stop() waits for its threads; then runs then() on the main strand.
  template <class Then>
  void stop_server(std::chrono::milliseconds drain, Then then) {
    if (!server_) return then();
    std::remove(settings_.listening_file.c_str());
    std::shared_ptr<HttpServer> server = std::move(server_);  // shared because `stop` is copied
    const auto stop = [&host = host(), server, drain, then] {
      server->stop(drain);
      post(host, kMainStrand, then);
    };
    if (!post_worker(host(), stop)) std::thread(stop).detach();  // requests in flight need this strand
  }

  Settings settings_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace
}  // namespace patchbay::rest_api

PATCHBAY_PLUGIN(patchbay::rest_api::RestApi)
