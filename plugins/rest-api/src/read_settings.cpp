#include "read_settings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "api/limits.h"
#include "http/trusted_proxies.h"

namespace patchbay::rest_api {
namespace {

constexpr int64_t kDayMs = 86'400'000;

std::vector<std::string> texts(JsonView value) {
  if (value.is_string()) return {std::string(value.text())};
  std::vector<std::string> all;
  for (size_t i = 0; i < value.size(); ++i) all.emplace_back(value.at(i).text());
  return all;
}

bool is_address(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 || inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

unsigned thread_count(int64_t configured) {
  if (configured > 0) return static_cast<unsigned>(configured);
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U);
}

Result<std::vector<ListenerConfig>> read_listeners(const Config& config) {
  std::vector<ListenerConfig> all;
  for (const auto& text : texts(config.plugin()["listen"])) {
    PB_TRY_VALUE(auto listener, parse_listen(text, kPublic));
    if (const JsonView tls = config.plugin()["tls"])
      listener.tls = TlsFiles{std::string(tls.text("cert", "")), std::string(tls.text("key", ""))};
    all.push_back(std::move(listener));
  }
  if (all.empty()) return {Code::invalid, "listen must name at least one address"};
  PB_TRY_VALUE(auto management, parse_listen(config.server()["management"]["listen"].text(), kManagement));
  all.push_back(std::move(management));
  ListenerConfig local;
  local.role = kLocal;
  local.unix_path = config.server()["admin_socket"].text();
  if (!local.unix_path.empty()) all.push_back(std::move(local));
  return all;
}

// Shorter than `timeout_s`, after which the core stops waiting for this plugin, so that there is time to
// close.
std::chrono::milliseconds drain_time(int64_t timeout_s) {
  const std::chrono::milliseconds whole{timeout_s * 1000};
  return whole - std::min(whole / 3, std::chrono::milliseconds(10'000));
}

bool same_listener(const ListenerConfig& a, const ListenerConfig& b) {
  const auto files = [](const ListenerConfig& l) {
    return l.tls ? l.tls->certificate + "\n" + l.tls->key : std::string();
  };
  return a.role == b.role && a.address == b.address && a.port == b.port && a.unix_path == b.unix_path &&
         files(a) == files(b);
}

}  // namespace

Tenants::Tenants(const Config& config) {
  for (const auto& tenant : config.tenants()) {
    hosts_.emplace_back(tenant.host);
    if (tenant.primary) primary_ = tenant.host;
  }
}

bool Tenants::has(std::string_view host) const noexcept {
  return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
}

Result<ListenerConfig> parse_listen(std::string_view text, ListenerRole role) {
  const auto bad = [&] {
    return Error{Code::invalid, "'" + std::string(text) + "' is not a numeric address and a port"};
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  ListenerConfig listener;
  listener.role = role;
  listener.address = text.substr(0, colon);
  auto& address = listener.address;
  const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
  if (bracketed) address = address.substr(1, address.size() - 2);
  if (!is_address(address) || bracketed != (address.find(':') != std::string::npos)) return bad();
  const auto port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listener.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) return bad();
  return listener;
}

Result<Settings> Settings::read(const Config& config) {
  const JsonView plugin = config.plugin();
  const JsonView limits = plugin["limits"];
  Settings settings;
  settings.tenants = Tenants(config);
  PB_TRY_VALUE(settings.server.listeners, read_listeners(config));
  settings.server.threads = thread_count(plugin["threads"].integer());
  settings.server.trusted_proxies = texts(plugin["trustedProxies"]);
  PB_TRY(TrustedProxies::parse(settings.server.trusted_proxies));
  // The operator's limit also bounds those of routes.
  if (const int64_t body = limits["bodyBytes"].integer(); body > 0)
    settings.server.limits.max_body = settings.server.limits.max_route_body = static_cast<size_t>(body);
  settings.server.limits.max_bodies = static_cast<size_t>(limits["bodyMemoryBytes"].integer());
  if (settings.server.limits.max_bodies < settings.server.limits.max_body)
    return {Code::invalid, "limits.bodyMemoryBytes must be at least limits.bodyBytes"};
  settings.server.limits.max_per_address = static_cast<size_t>(limits["connectionsPerAddress"].integer());
  settings.server.hsts_sec = static_cast<uint32_t>(plugin["tls"]["hstsSec"].integer());
  settings.server.limits.max_connections = static_cast<size_t>(limits["connections"].integer());
  settings.answer_ms = limits["answerSec"].integer() * 1000;
  settings.server.limits.answer_ms = static_cast<uint32_t>(settings.answer_ms + kServerGraceMs);
  settings.rate.per_second = limits["requestsPerSecond"].number();
  settings.rate.burst = limits["burst"].number();
  settings.audit_keep_ms = plugin["auditKeepDays"].integer() * kDayMs;
  settings.drain = drain_time(config.server()["drain_timeout_s"].integer());
  settings.listening_file = std::string(config.server()["data"].text()) + "/listening.json";
  return settings;
}

bool Settings::needs_restart(const Settings& next) const {
  const auto& a = server;
  const auto& b = next.server;
  return a.threads != b.threads || a.trusted_proxies != b.trusted_proxies ||
         a.limits.max_body != b.limits.max_body || a.limits.max_route_body != b.limits.max_route_body ||
         a.limits.max_connections != b.limits.max_connections || a.limits.max_bodies != b.limits.max_bodies ||
         a.hsts_sec != b.hsts_sec || a.limits.max_per_address != b.limits.max_per_address ||
         answer_ms != next.answer_ms || rate.per_second != next.rate.per_second ||
         rate.burst != next.rate.burst ||
         !std::equal(a.listeners.begin(), a.listeners.end(), b.listeners.begin(), b.listeners.end(),
                     same_listener);
}

}  // namespace patchbay::rest_api
