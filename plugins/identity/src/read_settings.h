// Reads the settings of identity: users, clients and issuers. Types, bounds and defaults are in
// settings.schema.json, against which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client.h"
#include "user.h"

namespace patchbay::identity {

struct Tenant {
  std::string host;
  bool primary = false;
  std::string issuer;
  Clients clients;
  std::map<std::string, User, std::less<>> users;  // by name
  std::shared_ptr<Credential> dummy_credential;    // for the passwords of unknown users

  // nullptr: not configured.
  const Client* client(std::string_view id) const;
};

struct Settings {
  std::string issuer;
  std::string key_file;
  int64_t token_lifetime_sec = 0;
  int64_t refresh_lifetime_sec = 0;
  int64_t session_lifetime_sec = 0;                    // of a sign-in at the login page
  int64_t sign_in_lifetime_sec = 0;                    // of all refresh tokens that came from one sign-in
  std::map<std::string, Tenant, std::less<>> tenants;  // by host

  // Errors name the user but never contain the password.
  static Result<Settings> read(const Config& config);

  const Tenant* tenant(std::string_view host) const;
  const Tenant* primary() const;
  // Returns the credentials of all users.
  std::vector<std::shared_ptr<Credential>> credentials() const;
};

}  // namespace patchbay::identity
