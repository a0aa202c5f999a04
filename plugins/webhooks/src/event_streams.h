// EventStreams: the clients that follow the event log. Wakes them when there are new events, and ends those
// whose bearer is no longer valid or whose tenant was removed. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/service.h>
#include <patchbay/services/auth.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "event_stream.h"
#include "read_settings.h"

namespace patchbay::webhooks {

class EventStreams {
 public:
  // Borrows the reader.
  EventStreams(const Host& host, const EventLogReader& reader);

  // Ends the streams of tenants that are no longer configured.
  void configure(const Settings& settings);
  // Opens a stream that begins with `page`, the first one of `query`.
  void open(const http::Request& request, EventQuery query, const EventPage& page,
            Reply<http::Response> reply);
  // The tenant's log has new events.
  void wake(std::string_view tenant) const;

 private:
  struct Tenant {
    std::map<int64_t, std::unique_ptr<EventStream>> streams;
    int64_t newest = 0;  // number of the event up to which poll() has looked
  };

  // Finds the events that other servers of the same database have consumed, and those after a failed read.
  void poll();
  void look(const std::string& name, const Tenant& tenant);
  void looked(const std::string& name, const EventLog& log);
  void verify(int64_t id, const EventStream& stream);
  void judge(int64_t id, const std::string& tenant, const Result<auth::Principal>& principal) const;
  const EventStream* find(int64_t id, const std::string& tenant) const;
  void remove(int64_t id, const std::string& tenant);

  // borrowed
  const Host& host_;
  const EventLogReader& reader_;
  // owned
  Service<auth::Auth> auth_;
  Timer timer_;
  // state
  std::map<std::string, Tenant, std::less<>> tenants_;  // those with streams
  int64_t last_id_ = 0;
  int64_t polls_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
