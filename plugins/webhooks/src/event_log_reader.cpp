#include "event_log_reader.h"

#include <patchbay/json.h>

#include <algorithm>
#include <utility>

#include "delivery_request.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {

bool EventQuery::wants(std::string_view topic) const {
  return topics.empty() || std::any_of(topics.begin(), topics.end(), [&](const std::string& each) {
           return each == topic || each == kAllEvents;
         });
}

struct EventLogReader::Reading {
  EventQuery query;
  EventPage page;
  Function<void(Result<EventPage>)> done;
  size_t seen = 0, bytes = 0;
};

void EventLogReader::read(EventQuery query, Function<void(Result<EventPage>)> done) const {
  auto reading = std::make_shared<Reading>(Reading{std::move(query), {}, std::move(done)});
  reading->page.after = std::max<int64_t>(reading->query.after, 0);
  read_on(reading);
}

void EventLogReader::read_on(const ReadingPtr& reading) const {
  read_log(host_, reading->query.tenant, reading->page.after, kMaxEventsPerBatch,
           alive_.bind([this, reading](const Result<EventLog>& log) { take(reading, log); }));
}

void EventLogReader::take(const ReadingPtr& reading, const Result<EventLog>& log) const {
  if (!log) return reading->done(log.error());
  EventPage& page = reading->page;
  page.newest = log->newest;
  if (log->oldest > page.after) {
    if (reading->query.after == EventQuery::kFromOldest && reading->seen == 0) {
      page.after = log->oldest;
      return log->oldest < log->newest ? read_on(reading) : reading->done(std::move(page));
    }
    // After a part of the page was read, the next read reports the gap.
    if (reading->seen == 0) page.oldest = log->oldest;
    return reading->done(std::move(page));
  }
  bool has_room = true;
  for (const Event& event : log->events) {
    has_room = add(*reading, event);
    if (!has_room) break;
  }
  const bool at_end = log->events.empty() || page.after >= page.newest;
  if (has_room && !at_end && reading->seen < kMaxEventsRead) return read_on(reading);
  reading->done(std::move(page));
}

bool EventLogReader::add(Reading& reading, const Event& event) const {
  EventPage& page = reading.page;
  page.after = event.tenant_seq();
  ++reading.seen;
  if (is_visible(reading.query, event)) {
    page.items.push_back({event.tenant_seq(), std::string(event.topic()),
                          envelope(event.topic(), event.tenant(), event.time_ms(), event.payload())});
    reading.bytes += page.items.back().body.size();
  }
  return page.items.size() < reading.query.limit && reading.bytes < reading.query.max_bytes;
}

// As FanOut: only events of the catalogue, whose payload is an object.
bool EventLogReader::is_visible(const EventQuery& query, const Event& event) const {
  if (catalogue_.emitter(event.topic()).empty() || !query.wants(event.topic())) return false;
  if (event.payload().empty()) return true;
  const auto parsed = host_.parse_json(event.payload());
  return parsed && parsed->root().is_object();
}

}  // namespace patchbay::webhooks
