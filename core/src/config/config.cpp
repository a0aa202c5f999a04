#include "config/config.h"

#include <algorithm>

#include "config/position.h"
#include "json/writer.h"

namespace patchbay::core::config {
namespace {

using json::Node;
using json::Writer;

const Node* child(const Node* node, std::string_view key) { return node ? node->find(key) : nullptr; }

void write_or_empty(Writer& out, const Node* node) {
  if (node)
    out.value(*node);
  else
    out.begin_object().end_object();
}

void write_server(Writer& out, const Server& server) {
  out.begin_object();
  out.member("data", server.data)
      .member("plugin_dir", server.plugin_dir)
      .member("admin_socket", server.admin_socket);
  out.key("management").begin_object().member("listen", server.management_listen).end_object();
  out.key("log").begin_object();
  out.member("format", server.log_json ? "json" : "text").member("level", server.log_level).end_object();
  out.member("threads", server.threads).member("drain_timeout_s", server.drain_timeout_s).end_object();
}

// Writes a plugin's section without the core's keys.
void write_plugin_keys(Writer& out, const Node* section) {
  out.begin_object();
  for (uint32_t i = 0; section && i < section->size(); ++i) {
    const json::Member& member = *section->member(i);
    if (!is_core_key(member.key)) out.key(member.key).value(member.value);
  }
  out.end_object();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string Draft::place_of(std::string_view error) const {
  const Mark mark = position_of(root_, error);
  if (mark.line == 0) return sources_.file;
  return sources_.file + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

std::string Config::view_without_server(std::string_view plugin) const {
  const Node& root = document_.root();
  Writer out;
  out.begin_object().key("plugin");
  write_plugin_keys(out, child(root.find("plugins"), plugin));
  out.key("tenants").begin_object();
  for (const Tenant& tenant : tenants_) {
    const Node* node = child(root.find("tenants"), tenant.host);
    out.key(tenant.host).begin_object().member("primary", tenant.primary).member("name", tenant.name);
    out.key("section");
    write_or_empty(out, child(node, plugin));
    out.key("WebPhone");
    write_or_empty(out, child(node, "WebPhone"));
    out.end_object();
  }
  out.end_object().end_object();
  return out.take();
}

std::string Config::plugin_view(std::string_view plugin) const {
  Writer server;
  write_server(server, server_);
  return "{\"server\":" + server.take() + "," + view_without_server(plugin).substr(1);
}

Isolation Config::isolation(std::string_view plugin) const {
  Isolation result;
  const Node* section = child(document_.root().find("plugins"), plugin);
  const Node* where = child(section, "isolation");
  result.process = where && where->string() == "process";
  const Node* restarts = child(section, "restarts");
  if (const Node* max_restarts = child(restarts, "most")) result.max_restarts = max_restarts->integer();
  if (const Node* within = child(restarts, "within_s")) result.within_s = within->integer();
  const Node* paths = child(section, "paths");
  for (uint32_t i = 0; paths != nullptr && i < paths->size(); ++i)
    result.paths.emplace_back(paths->element(i)->string());
  return result;
}

Diff diff(const Config& before, const Config& after) {
  Diff result;
  result.server = before.server() != after.server();
  for (const std::string& plugin : after.plugins()) {
    if (!contains(before.plugins(), plugin))
      result.added.push_back(plugin);
    else if (before.view_without_server(plugin) != after.view_without_server(plugin))
      result.changed.push_back(plugin);
    if (contains(before.plugins(), plugin) && before.isolation(plugin) != after.isolation(plugin))
      result.isolated.push_back(plugin);
  }
  for (const std::string& plugin : before.plugins())
    if (!contains(after.plugins(), plugin)) result.removed.push_back(plugin);
  return result;
}

}  // namespace patchbay::core::config
