#include "subscription_json.h"

#include <patchbay/hex.h>
#include <patchbay/utc.h>

#include "crypto/digest.h"
#include "receiver_url.h"

namespace patchbay::webhooks {
namespace {

constexpr size_t kUrlDigestCharacters = 16;

void write_members(JsonWriter& out, const Subscription& subscription, const EventCatalogue& catalogue) {
  out.member("id", subscription.id).member("url", subscription.url).key("events").array();
  for (const std::string& event : subscription.events) out.value(event);
  out.end()
      .member("active", subscription.active)
      .member("createdAtUtc", utc_text(subscription.created_ms))
      .member("createdBy", subscription.created_by)
      .key("lastFiredUtc");
  if (subscription.last_fired_ms == 0) {
    out.null();
  } else {
    out.value(utc_text(subscription.last_fired_ms));
  }
  out.member("failures", subscription.failures).member("source", subscription.from_config ? "config" : "api");
  const auto missing = catalogue.not_emitted(subscription.events);
  if (missing.empty()) return;
  out.key("notEmitted").array();
  for (const std::string_view event : missing) out.value(event);
  out.end();
}

void write_time(JsonWriter& out, std::string_view name, bool present, int64_t ms) {
  out.key(name);
  if (present) {
    out.value(utc_text(ms));
  } else {
    out.null();
  }
}

}  // namespace

void write_subscription(JsonWriter& out, const Subscription& subscription, const EventCatalogue& catalogue) {
  out.object();
  write_members(out, subscription, catalogue);
  out.end();
}

std::string subscription_json(const Subscription& subscription, const EventCatalogue& catalogue,
                              const std::string& secret) {
  JsonWriter out;
  out.object();
  write_members(out, subscription, catalogue);
  if (!secret.empty()) out.member("secret", secret);
  out.end();
  return std::move(out).str();
}

std::string audited_subscription(const std::string& url, const std::vector<std::string>& events,
                                 bool active) {
  JsonWriter out;
  out.object()
      .member("receiver", loggable(url))
      .member("urlDigest", to_hex(lib::sha256(url)).substr(0, kUrlDigestCharacters))
      .key("events")
      .array();
  for (const std::string& event : events) out.value(event);
  out.end().member("active", active).end();
  return std::move(out).str();
}

std::string audited_delivery(const std::string& id) {
  return JsonWriter().object().member("deliveryId", id).end().str();
}

void write_delivery(JsonWriter& out, const Rows& rows, size_t row) {
  const std::string_view state = rows.text(row, 2);
  out.object()
      .member("deliveryId", rows.text(row, 0))
      .member("event", rows.text(row, 1))
      .member("state", state)
      .member("attempts", rows.integer(row, 3))
      .member("eventUtc", utc_text(rows.integer(row, 4)));
  write_time(out, "nextAttemptUtc", state == "pending", rows.integer(row, 5));
  write_time(out, "endedUtc", !rows.is_null(row, 8), rows.integer(row, 8));
  out.member("status", rows.integer(row, 6)).member("error", rows.text(row, 7)).end();
}

lib::PagePosition delivery_position(const Rows& rows, size_t row) {
  return {rows.integer(row, 4), std::string(rows.text(row, 0))};
}

}  // namespace patchbay::webhooks
