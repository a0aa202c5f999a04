#include <patchbay/plugin.h>

#include <cstdio>
#include <functional>
#include <optional>

#include "api/dispatcher.h"
#include "api/housekeeping.h"
#include "api/management_routes.h"
#include "api/openapi.h"
#include "api/request_map.h"
#include "api/service_root.h"
#include "http/tls.h"
#include "listening_file.h"

namespace patchbay::rest_api {
namespace {

class RestApi final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(settings_, Settings::read(config));
    parts_ = std::make_unique<Parts>(
        host(), settings_, [this](const RouteTable& table) { publish(table); },
        [this] { renew_certificates(); }, [this] { mend_sockets(); });
    PB_TRY(add_own_routes());
    PB_TRY(open_edge());
    parts_->http.on(http::Http::add_route, [this](http::Route route) -> Result<http::Registered> {
      return parts_->registry.add(std::move(route));
    });
    return parts_->http.publish();
  }

  Status check_config(const Config& config) override {
    PB_TRY_VALUE(const Settings next, Settings::read(config));
    for (const ListenerConfig& listener : next.edge.listeners)
      if (listener.tls) PB_TRY(load_tls(*listener.tls));
    if (settings_.needs_restart(next)) return {Code::unsupported, "needs a restart"};
    return {};
  }

  void reconfigure(const Config& config) override {
    auto next = Settings::read(config);
    if (next) settings_.tenants = std::move(next->tenants);
    renew_certificates();
  }

  // Nothing new is accepted; what runs is answered.
  void drain(Done done) override {
    parts_->dispatcher.hurry();
    auto finished = std::make_shared<Done>(std::move(done));
    close_edge(settings_.drain, [finished] { (*finished)(); });
  }

  // The edge's threads refer to the parts: these go after it, on their strand.
  void stop(Done done) override {
    auto finished = std::make_shared<Done>(std::move(done));
    close_edge(std::chrono::milliseconds(0), [this, finished] {
      parts_.reset();
      (*finished)();
    });
  }

  struct Parts {
    Parts(const Host& host, const Settings& settings, std::function<void(const RouteTable&)> publish,
          std::function<void()> renew, std::function<void()> mend)
        : registry(host, std::move(publish)),
          traffic(host),
          dispatcher(host, settings, registry, traffic),
          upkeep(host, settings, registry, std::move(renew), std::move(mend)),
          http(host) {}
    RouteRegistry registry;
    Traffic traffic;
    Dispatcher dispatcher;
    Upkeep upkeep;
    Provision<http::Http> http;
    std::string socket_trouble;  // why the admin socket is not reached; "" when it is
    Lifetime alive;
  };

  Status add_own_routes() {
    PB_TRY(add_service_root(parts_->registry));
    PB_TRY(add_openapi(parts_->registry, host()));
    const auto note_traffic = [this] {
      if (edge_) parts_->traffic.note(edge_->stats());
    };
    return add_management_routes(parts_->registry, host(), note_traffic, parts_->socket_trouble);
  }

  Status open_edge() {
    // On an edge thread: what is bound here is only looked at on the main strand.
    const auto take = [this, &host = host(), alive = &parts_->alive](std::shared_ptr<Exchange> exchange) {
      post(host, kMainStrand,
           alive->bind([this, exchange = std::move(exchange), started = host.mono_ns()]() mutable {
             parts_->dispatcher.serve(std::move(exchange), started);
           }));
    };
    const auto look = [this, &host = host(), alive = &parts_->alive](std::shared_ptr<Exchange> exchange,
                                                                     std::function<void()> proceed) {
      post(host, kMainStrand,
           alive->bind([this, exchange = std::move(exchange), proceed = std::move(proceed)]() mutable {
             parts_->dispatcher.look(std::move(exchange), std::move(proceed));
           }));
    };
    PB_TRY_VALUE(auto edge, Edge::start(settings_.edge, parts_->registry.table(), {take, take, look}));
    edge_ = std::move(edge);
    const auto bound = bound_addresses(*edge_, settings_.edge.listeners);
    for (const Bound& one : bound)
      log().info("listening", {{"surface", surface_name(one.surface)}, {"address", one.address}});
    return write_listening_file(settings_.listening_file, bound);
  }

  void publish(const RouteTable& table) {
    if (!edge_) return;
    if (const Status done = edge_->set_routes(table); !done)
      log().error("the routes were not taken", {{"why", done.error().text}});
  }

  void renew_certificates() {
    if (!edge_) return;
    if (const Status done = edge_->reload_tls(); !done)
      return log().error("the certificates were not read again", {{"why", done.error().text}});
    log().info("the certificates were read again");
  }

  // Who cleans /run or /tmp takes the admin socket along.
  void mend_sockets() {
    if (!edge_) return;
    const auto mended = edge_->mend_sockets();
    const std::string trouble = mended ? std::string() : mended.error().text;
    if (mended && *mended) log().warn("the admin socket was removed by somebody, and has been made again");
    if (!trouble.empty() && trouble != parts_->socket_trouble)
      log().error("the admin socket was removed by somebody, and could not be made again",
                  {{"why", trouble}});
    parts_->socket_trouble = trouble;
  }

  // On a worker, because it waits for the edge's threads; then() comes on the main strand.
  template <class Then>
  void close_edge(std::chrono::milliseconds drain, Then then) {
    if (!edge_) return then();
    std::remove(settings_.listening_file.c_str());
    std::shared_ptr<Edge> edge = std::move(edge_);  // shared because a job must be copied when it is refused
    const auto close = [&host = host(), edge, drain, then] {
      edge->stop(drain);
      post(host, kMainStrand, then);
    };
    if (!post_worker(host(), close)) close();
  }

  Settings settings_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Edge> edge_;
};

}  // namespace
}  // namespace patchbay::rest_api

PATCHBAY_PLUGIN(patchbay::rest_api::RestApi)
