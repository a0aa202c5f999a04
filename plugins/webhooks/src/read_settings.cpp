#include "read_settings.h"

#include <unistd.h>

#include <set>

#include "receiver_url.h"
#include "subscription.h"

namespace patchbay::webhooks {
namespace {

constexpr int64_t kMsPerDay = 86'400'000;

Definition read_definition(const Config::Tenant& tenant, JsonView item) {
  Definition definition;
  definition.tenant = tenant.host;
  definition.url = item.text("url", "");
  definition.events = read_events(item["events"]);
  definition.secret = item.text("secret", "");
  definition.id = item.text("id", "");
  if (definition.id.empty()) definition.id = subscription_id(tenant.host, definition.url);
  return definition;
}

}  // namespace

bool Settings::allows_private(std::string_view tenant) const {
  const auto found = allow_private.find(tenant);
  return found != allow_private.end() && found->second;
}

Result<Settings> Settings::read(const Config& config, const EventCatalogue& catalogue) {
  Settings settings;
  settings.ca_file = config.plugin()["caFile"].text();
  if (!settings.ca_file.empty() && access(settings.ca_file.c_str(), R_OK) != 0)
    return Error{Code::invalid, "plugins.webhooks.caFile cannot be read: " + settings.ca_file};
  settings.max_in_flight = static_cast<size_t>(config.plugin()["maxInFlight"].integer());
  settings.keep_ms = config.plugin()["keepDays"].integer() * kMsPerDay;
  std::set<std::string> ids;
  for (const Config::Tenant& tenant : config.tenants()) {
    const bool allow_private = tenant.section["allowPrivateReceivers"].boolean();
    settings.allow_private.emplace(tenant.host, allow_private);
    const JsonView list = tenant.section["subscriptions"];
    for (size_t i = 0; i < list.size(); ++i) {
      Definition definition = read_definition(tenant, list.at(i));
      const std::string where =
          "tenants." + definition.tenant + ".webhooks.subscriptions[" + std::to_string(i) + "]";
      if (Status status = check_receiver_url(definition.url, allow_private); !status)
        return Error{Code::invalid, where + ".url " + status.error().text};
      if (const auto unknown = catalogue.unknown_in(definition.events))
        return Error{Code::invalid, where + ".events[" + std::to_string(*unknown) + "] is " +
                                        definition.events[*unknown] + ", which no plugin emits; known are " +
                                        catalogue.names()};
      if (!ids.insert(definition.id).second)
        return Error{Code::invalid, where + " has the id of another subscription: give it an id of its own"};
      settings.definitions.push_back(std::move(definition));
    }
  }
  return settings;
}

}  // namespace patchbay::webhooks
