// Routes: a plugin's routes, registered whenever patchbay.http is there. Create, use and destroy it on the
// main strand.
//
//   routes_.add(route, [this](http::Request request, Reply<http::Response> reply) { ... });
//   routes_.open();
#pragma once

#include <memory>
#include <vector>

#include "../log.h"
#include "http.h"

namespace patchbay::http {

class Routes {
 public:
  explicit Routes(const Host& host) : host_(&host) {}

  // handler(Request, Reply<Response>) answers when it likes; handler(Request) -> Result<Response> at once.
  template <class F>
  void add(Route route, F handler) {
    auto entry = std::make_unique<Entry>(*host_);
    entry->handler.on(Handler::handle, std::move(handler));
    route.handler = entry->handler.handle();
    entry->route = std::move(route);
    if (service_ != nullptr && service_->up()) announce(*entry);
    entries_.push_back(std::move(entry));
  }

  // From now on what was added, and is added, is registered.
  void open() {
    service_ = std::make_unique<Service<Http>>(*host_);
    service_->on_change([this](bool up) {
      if (!up) return;
      for (const auto& entry : entries_) announce(*entry);
    });
  }

 private:
  struct Entry {
    explicit Entry(const Host& host) : handler(host) {}
    Route route;
    Provision<Handler> handler;
  };
  void announce(const Entry& entry) const {
    const Route& route = entry.route;
    service_->call(
        Http::add_route, route,
        [log = Log(*host_), title = route.method + " " + route.path](const Result<Registered>& done) {
          if (!done) log.error("a route was refused", {{"route", title}, {"why", done.error().text}});
        });
  }

  const Host* host_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::unique_ptr<Service<Http>> service_;
};

}  // namespace patchbay::http
