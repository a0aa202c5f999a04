#include "listening_file.h"

#include <patchbay/json.h>

#include <cstdio>
#include <fstream>

namespace patchbay::rest_api {
namespace {

std::string text_of(const std::vector<Bound>& bound) {
  JsonWriter out;
  out.object();
  for (const ListenerRole role : {kPublic, kManagement, kLocal}) {
    for (const Bound& one : bound) {
      if (one.role != role) continue;
      out.member(role == kLocal ? "admin" : listener_role_name(role), one.address);
      break;
    }
  }
  out.key("listeners").array();
  for (const Bound& one : bound)
    out.object()
        .member("role", listener_role_name(one.role))
        .member("address", one.address)
        .member("tls", one.tls)
        .end();
  out.end().end();
  return std::move(out).str();
}

}  // namespace

std::vector<Bound> bound_addresses(const HttpServer& server, const std::vector<ListenerConfig>& listeners) {
  std::vector<Bound> all;
  for (size_t i = 0; i < listeners.size(); ++i) {
    const auto& listener = listeners[i];
    const bool v6 = listener.address.find(':') != std::string::npos;
    const std::string host = v6 ? "[" + listener.address + "]" : listener.address;
    all.push_back(
        {listener.role,
         listener.unix_path.empty() ? host + ":" + std::to_string(server.port(i)) : listener.unix_path,
         listener.tls.has_value()});
  }
  return all;
}

Status write_listening_file(const std::string& path, const std::vector<Bound>& bound) {
  const std::string fresh = path + ".new";
  std::ofstream file(fresh, std::ios::trunc);
  file << text_of(bound) << '\n';
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0)
    return {Code::failed, path + " could not be written"};
  return {};
}

}  // namespace patchbay::rest_api
