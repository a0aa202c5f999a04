#include "client.h"

#include <patchbay/utf8.h>

#include <algorithm>

#include "redirect_uri.h"

namespace patchbay::identity {
namespace {

bool is_printable(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const uint32_t code = next_code_point(text, at);
    if (code == kInvalidCodePoint || is_unprintable(code)) return false;
  }
  return true;
}

Result<std::vector<std::string>> read_uris(JsonView section, const char* field) {
  std::vector<std::string> uris;
  const JsonView list = section[field];
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string uri(list.at(i).text());
    if (Status valid = check_redirect_uri(uri); !valid)
      return Error(valid.error()).within(std::string(field) + "[" + std::to_string(i) + "]");
    uris.push_back(uri);
  }
  return uris;
}

Result<Client> read_client(JsonView entry) {
  Client client;
  if (entry.is_string()) {
    client.id = entry.text();
  } else {
    client.id = entry.text("id", {});
    client.name = entry.text("name", {});
    PB_TRY_VALUE(client.redirect_uris, read_uris(entry, "redirectUris"));
    PB_TRY_VALUE(client.post_logout_redirect_uris, read_uris(entry, "postLogoutRedirectUris"));
  }
  if (!is_printable(client.id)) return {Code::invalid, "id: must be printable, such as \"portal\""};
  if (!is_printable(client.name))
    return {Code::invalid, "name: must be printable, such as \"Customer portal\""};
  return client;
}

}  // namespace

bool Client::may_redirect_to(std::string_view uri) const {
  return std::any_of(redirect_uris.begin(), redirect_uris.end(),
                     [uri](const std::string& known) { return matches_redirect_uri(known, uri); });
}

bool Client::may_return_to(std::string_view uri) const {
  return std::any_of(post_logout_redirect_uris.begin(), post_logout_redirect_uris.end(),
                     [uri](const std::string& known) { return matches_redirect_uri(known, uri); });
}

Result<Clients> read_clients(JsonView list) {
  Clients clients;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string field = "clients[" + std::to_string(i) + "]";
    auto client = read_client(list.at(i));
    if (!client)
      return Error{client.error().code, field + (list.at(i).is_string() ? ": " : ".") + client.error().text};
    const std::string id = client->id;
    if (!clients.emplace(id, *std::move(client)).second)
      return {Code::invalid, field + ": this client is defined twice"};
  }
  return clients;
}

}  // namespace patchbay::identity
