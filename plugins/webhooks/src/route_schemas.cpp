#include "route_schemas.h"

#include <patchbay/json.h>

namespace patchbay::webhooks {
namespace {

constexpr const char* kUrl = R"("url":{"type":"string","minLength":1,"maxLength":2048,"format":"uri"})";
constexpr const char* kSecret =
    R"("secret":{"type":"string","minLength":16,"maxLength":256,"description":"Random ASCII without blanks; generated when left out"})";

// Not an enum, because the events of the specification are accepted although no plugin emits them.
std::string events_member(const EventCatalogue& catalogue, bool with_default) {
  JsonWriter member;
  member.object().member("type", "array").member("minItems", 1).member("maxItems", 32);
  member.member("description", "Events that plugins of this server emit: " + catalogue.names());
  member.key("items").raw(R"({"type":"string"})").key("example").raw(R"(["call.ended"])");
  if (with_default) member.key("default").raw(R"(["*"])");
  return "\"events\":" + std::move(member.end()).str();
}

std::string object(const std::string& properties, const std::string& required) {
  return R"({"type":"object","properties":{)" + properties + "}" + required + "}";
}

}  // namespace

std::string create_schema(const EventCatalogue& catalogue) {
  return object(std::string(kUrl) + "," + events_member(catalogue, true) + "," + kSecret,
                R"(,"required":["url"])");
}

std::string change_schema(const EventCatalogue& catalogue) {
  return object(std::string(kUrl) + "," + events_member(catalogue, false) + R"(,"active":{"type":"boolean"})",
                "");
}

std::string secret_schema() { return object(kSecret, ""); }

std::string subscription_schema(bool with_secret) {
  std::string members = R"("id":{"type":"string","pattern":"^[0-9a-f]{16}$"},"url":{"type":"string"},
    "events":{"type":"array","items":{"type":"string"}},"active":{"type":"boolean"},
    "createdAtUtc":{"type":"string"},"createdBy":{"type":"string"},
    "lastFiredUtc":{"type":["string","null"]},"failures":{"type":"integer"},
    "source":{"type":"string","enum":["config","api"]},
    "notEmitted":{"type":"array","items":{"type":"string"},
      "description":"Those of events that no plugin of this server emits; left out when there are none"})";
  std::string required =
      R"("id","url","events","active","createdAtUtc","createdBy","lastFiredUtc","failures","source")";
  if (with_secret) {
    members += R"(,"secret":{"type":"string"})";
    required += R"(,"secret")";
  }
  return object(members, ",\"required\":[" + required + "]");
}

std::string deleted_schema() {
  return object("\"deleted\":" + subscription_schema(), R"(,"required":["deleted"])");
}

std::string delivery_schema() {
  return object(
      R"("deliveryId":{"type":"string"},"event":{"type":"string"},"state":{"type":"string"},
    "attempts":{"type":"integer"},"eventUtc":{"type":"string"},"nextAttemptUtc":{"type":["string","null"]},
    "endedUtc":{"type":["string","null"]},"status":{"type":"integer"},"error":{"type":"string"})",
      R"(,"required":["deliveryId","event","state","attempts","eventUtc","nextAttemptUtc","endedUtc","status","error"])");
}

std::string sent_schema() {
  return object(R"("ok":{"type":"boolean"},"deliveryId":{"type":"string"})",
                R"(,"required":["ok","deliveryId"])");
}

std::string event_query_schema(const EventCatalogue& catalogue) {
  JsonWriter topic;
  topic.object().member("type", "string").member("maxLength", 2000);
  topic.member("description", "Comma-separated events; all when left out: " + catalogue.names()).end();
  return object(R"("after":{"type":"integer","minimum":0,
      "description":"seq of the last event that the client has; from the oldest event when left out"},
    "limit":{"type":"integer","minimum":1,"default":50,"description":"Above 500 means 500"},
    "topic":)" + std::move(topic).str(),
                "");
}

std::string event_page_schema() {
  const std::string item = object(
      R"("seq":{"type":"integer","description":"Its number in the tenant's log: 1, 2, 3 ... in the order of commits"},
    "event":{"type":"string"},"tenant":{"type":"string"},"ts":{"type":"string"},"data":{"type":"object"})",
      R"(,"required":["seq","event","tenant","ts","data"])");
  return object("\"data\":{\"type\":\"array\",\"items\":" + item + R"(},
    "after":{"type":"integer","description":"What to send as `after` next"},
    "newest":{"type":"integer","description":"The number of the newest event, 0 when there was none"},
    "next":{"type":["string","null"],"description":"Relative URL of the next page; null at the end of the log"})",
                R"(,"required":["data","after","newest","next"])");
}

}  // namespace patchbay::webhooks
