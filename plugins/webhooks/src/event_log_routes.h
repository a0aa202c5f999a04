// GET /api.ashx/v1/events: the tenant's event log as a list. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include <string>

#include "event_log_reader.h"

namespace patchbay::webhooks {

class EventLogRoutes {
 public:
  // Borrows the catalogue.
  EventLogRoutes(const Host& host, const EventCatalogue& catalogue);

  // Registers the route.
  void start() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;

  http::Route route() const;
  // Error: a topic that is not the name of an event.
  Result<EventQuery> read_query(const http::Request& request) const;
  void list(const http::Request& request, Reply reply);

  // borrowed
  const EventCatalogue& catalogue_;
  // owned
  const EventLogReader reader_;
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
