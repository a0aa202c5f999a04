// GET /api.ashx/v1/events: the tenant's event log as a list, or as a stream. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include <string>

#include "event_log_reader.h"
#include "event_streams.h"

namespace patchbay::webhooks {

class EventLogRoutes {
 public:
  // Borrows all of them.
  EventLogRoutes(const Host& host, const EventCatalogue& catalogue, const EventLogReader& reader,
                 EventStreams& streams);

  // Registers the route.
  void start() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;

  http::Route route() const;
  // Error: a topic that is not the name of an event, or a Last-Event-ID that no event of a stream has.
  Result<EventQuery> read_query(const http::Request& request) const;
  void list(const http::Request& request, Reply reply);

  // borrowed
  const EventCatalogue& catalogue_;
  const EventLogReader& reader_;
  EventStreams& streams_;
  // owned
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
