// A client of the configuration: an application that may ask for tokens. Clients have no secret.
#pragma once

#include <patchbay/json.h>
#include <patchbay/result.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::identity {

struct Client {
  std::string id;
  std::string name;                        // shown at the login page; "": the id is
  std::vector<std::string> redirect_uris;  // empty: no authorization code for this client
  std::vector<std::string> post_logout_redirect_uris;

  const std::string& title() const { return name.empty() ? id : name; }
  bool may_redirect_to(std::string_view uri) const;
  bool may_return_to(std::string_view uri) const;
};

using Clients = std::map<std::string, Client, std::less<>>;  // by id

// Reads the setting `clients`. Errors begin with the field: "clients[1].redirectUris[0]: ...".
Result<Clients> read_clients(JsonView list);

}  // namespace patchbay::identity
