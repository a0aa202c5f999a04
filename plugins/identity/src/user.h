// A user, from the configuration or from the store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "password_hash.h"

namespace patchbay::identity {

struct User {
  std::string tenant;
  std::string name;
  std::string subject;  // claim "sub"; of a configured user it depends on tenant and name only
  std::string role;     // "admin", "user"
  bool disabled = false;
  std::shared_ptr<Credential> credential;  // shared with checks on workers, which may outlive a reload
  std::string fingerprint;                 // SHA-256 of password or hash; never stored or shown unkeyed
  // Of stored users only.
  bool stored = false;
  std::string display_name;
  int64_t created_ms = 0;
  std::string created_by;

  const std::string& shown_name() const { return display_name.empty() ? name : display_name; }
};

// What the store has about a user of either source.
struct Account {
  int64_t sessions = 0;             // raised to end all tokens of the user
  std::string sealed_sip_password;  // "": none
};

}  // namespace patchbay::identity
