#include "read_settings.h"

#include <patchbay/hex.h>

#include <algorithm>

#include "crypto/digest.h"

namespace patchbay::identity {
namespace {

std::string without_slash(std::string_view url) {
  while (!url.empty() && url.back() == '/') url.remove_suffix(1);
  return std::string(url);
}

Result<User> read_user(JsonView section, std::string_view tenant, HashCost& cost) {
  User user;
  user.tenant = tenant;
  user.name = section.text("username", {});
  user.role = section["role"].text();
  user.disabled = section["disabled"].boolean();
  const std::string hash(section.text("passwordHash", {})), password(section.text("password", {}));
  if (hash.empty() == password.empty())
    return {Code::invalid, "user " + user.name + " needs either passwordHash or password"};
  if (password.size() > kMaxPasswordBytes)
    return {Code::invalid, "the password of user " + user.name + " is longer than 1024 bytes"};
  if (!hash.empty()) {
    auto of_hash = read_cost(hash);
    if (!of_hash) return std::move(of_hash).error().within("passwordHash of user " + user.name);
    cost = *of_hash;
  }
  const std::string identity = std::string(tenant) + "\n" + user.name;
  user.subject = to_hex(lib::sha256("subject\n" + identity)).substr(0, 32);
  user.fingerprint = lib::sha256("fingerprint\n" + identity + "\n" + hash + "\n" + password);
  user.credential = std::make_shared<Credential>(hash, password);
  return user;
}

// Replaces the host of `issuer`, keeps its scheme and port.
std::string with_host(const std::string& issuer, std::string_view host) {
  const size_t scheme = issuer.find("://");
  if (scheme == std::string::npos) return issuer;
  const size_t begin = scheme + 3;
  const size_t end = std::min(issuer.find_first_of("/?#", begin), issuer.size());
  const std::string authority = issuer.substr(begin, end - begin);
  const size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  return issuer.substr(0, begin) + std::string(host) + (has_port ? authority.substr(colon) : "");
}

Result<Tenant> read_tenant(const Config::Tenant& config, const std::string& issuer) {
  Tenant tenant;
  tenant.host = config.host;
  tenant.primary = config.primary;
  tenant.issuer = without_slash(config.section.text("issuer", issuer));
  auto clients = read_clients(config.section["clients"]);
  if (!clients)
    return Error{clients.error().code, "tenants." + tenant.host + ".identity." + clients.error().text};
  tenant.clients = *std::move(clients);
  const JsonView users = config.section["users"];
  HashCost cost;  // of the first user, so that checking an unknown user takes as long
  for (size_t i = 0; i < users.size(); ++i) {
    HashCost of_user;
    PB_TRY_VALUE(User user, read_user(users.at(i), tenant.host, of_user));
    if (i == 0) cost = of_user;
    std::string name = user.name;
    if (!tenant.users.emplace(name, std::move(user)).second)
      return {Code::invalid, "user " + name + " of " + tenant.host + " is defined twice"};
  }
  PB_TRY_VALUE(std::string hash, dummy_hash(cost));
  tenant.dummy_credential = std::make_shared<Credential>(std::move(hash), "");
  return tenant;
}

}  // namespace

Result<Settings> Settings::read(const Config& config) {
  const JsonView plugin = config.plugin();
  Settings settings;
  settings.issuer = without_slash(plugin.text("issuer", {}));
  settings.key_file = plugin.text("keyFile", {});
  settings.token_lifetime_sec = plugin["tokenLifetimeSec"].integer();
  settings.session_lifetime_sec = plugin["sessionLifetimeSec"].integer();
  settings.sign_in_lifetime_sec = plugin["signInLifetimeSec"].integer();
  settings.refresh_lifetime_sec = plugin["refreshLifetimeSec"].integer();
  std::string of_primary = settings.issuer;
  for (const auto& section : config.tenants())
    if (section.primary) of_primary = without_slash(section.section.text("issuer", settings.issuer));
  for (const auto& section : config.tenants()) {
    PB_TRY_VALUE(Tenant tenant,
                 read_tenant(section, section.primary ? of_primary : with_host(of_primary, section.host)));
    settings.tenants.emplace(section.host, std::move(tenant));
  }
  return settings;
}

const Client* Tenant::client(std::string_view id) const {
  const auto found = clients.find(id);
  return found == clients.end() ? nullptr : &found->second;
}

const Tenant* Settings::tenant(std::string_view host) const {
  const auto found = tenants.find(host);
  return found == tenants.end() ? nullptr : &found->second;
}

const Tenant* Settings::primary() const {
  for (const auto& [host, tenant] : tenants)
    if (tenant.primary) return &tenant;
  return nullptr;
}

std::vector<std::shared_ptr<Credential>> Settings::credentials() const {
  std::vector<std::shared_ptr<Credential>> all;
  for (const auto& [host, tenant] : tenants)
    for (const auto& [name, user] : tenant.users) all.push_back(user.credential);
  return all;
}

}  // namespace patchbay::identity
