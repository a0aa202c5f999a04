// Sessions of browsers at the login page: the cookie is random and stored as SHA-256. A session ends with its
// time, with the user's tokens (disabling, another role or password, end-sessions) and at the logout. Main
// strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <optional>
#include <string>

#include "context.h"

namespace patchbay::identity {

struct Session {
  std::string sid;
  std::string username;
  int64_t signed_in_ms = 0;
};

struct NewSession {
  Session session;
  std::string cookie;
};

class SessionStore {
 public:
  explicit SessionStore(Context& context);

  // Finds the valid session of a cookie; "" has none.
  void find(const std::string& tenant, const std::string& cookie,
            Function<void(Result<std::optional<Session>>)> done);
  // Adds a session of the user, who has just entered the password, to the transaction; it replaces that of
  // the cookie `previous`.
  Result<NewSession> add(Transaction& tx, const std::string& tenant, const std::string& username,
                         const std::string& previous) const;

 private:
  Context& context_;
  Statement get_, add_, remove_, trim_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
