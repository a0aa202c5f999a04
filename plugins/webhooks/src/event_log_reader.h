// EventLogReader: the events of a tenant that webhooks deliver, read from the server's log, in order, with
// the bodies that webhooks send. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "event_catalogue.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {

struct EventPage {
  struct Item {
    int64_t seq = 0;
    std::string topic;
    std::string body;  // {"event","tenant","ts","data"}
    std::string json() const { return "{\"seq\":" + std::to_string(seq) + "," + body.substr(1); }
  };
  std::vector<Item> items;
  int64_t after = 0;   // the number up to which the log was read; continue here
  int64_t oldest = 0;  // above the `after` that was asked for: the events up to here are gone
  int64_t newest = 0;  // the last number that the tenant's log has given
};

struct EventQuery {
  std::string tenant;
  int64_t after = kFromOldest;
  size_t limit = 0;
  size_t max_bytes = kMaxEventPageBytes;  // beyond it the page ends with the item that it has then
  std::vector<std::string> topics;        // empty: all

  static constexpr int64_t kFromOldest = -1;
  bool wants(std::string_view topic) const;
};

class EventLogReader {
 public:
  // Borrows the catalogue, whose events are the visible ones.
  EventLogReader(const Host& host, const EventCatalogue& catalogue) : host_(host), catalogue_(catalogue) {}

  // Reads until `limit` items, a bound on bytes and on events that are left out, or the log's end.
  void read(EventQuery query, Function<void(Result<EventPage>)> done) const;

 private:
  struct Reading;
  using ReadingPtr = std::shared_ptr<Reading>;

  void read_on(const ReadingPtr& reading) const;
  void take(const ReadingPtr& reading, const Result<EventLog>& log) const;
  // Returns whether the page has room for more.
  bool add(Reading& reading, const Event& event) const;
  bool is_visible(const EventQuery& query, const Event& event) const;

  const Host& host_;
  const EventCatalogue& catalogue_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
