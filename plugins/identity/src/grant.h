// A grant: what a user allowed a client by signing in. Tokens follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::identity {

struct Grant {
  std::string tenant;
  std::string username;
  std::string client_id;
  std::string scope;         // supported ones, separated by blanks
  std::string family;        // the id of the grant, which revokes its tokens; "": it has only one
  std::string sid;           // the id of the session at the login page; "": none
  int64_t signed_in_ms = 0;  // when the user entered the password

  bool has(std::string_view wanted) const {
    return (" " + scope + " ").find(" " + std::string(wanted) + " ") != std::string::npos;
  }
};

// Returns the supported ones of the requested scopes, each once.
inline std::string supported_scopes(const std::string& requested) {
  std::string known;
  for (const char* scope : {"openid", "profile", "offline_access"}) {
    if ((" " + requested + " ").find(std::string(" ") + scope + " ") == std::string::npos) continue;
    if (!known.empty()) known += ' ';
    known += scope;
  }
  return known;
}

}  // namespace patchbay::identity
