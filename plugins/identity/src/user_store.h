// UserStore: the transactions that change stored users. Each begins with the raise of the revision, and its
// second operation changes exactly one row, or fails with Code::conflict. Main strand.
#pragma once

#include <patchbay/store.h>

#include <optional>
#include <string>

#include "context.h"

namespace patchbay::identity {

struct UserChange {
  std::optional<std::string> display_name;
  std::optional<std::string> role;
  std::optional<bool> disabled;
};

class UserStore {
 public:
  explicit UserStore(Context& context);

  // Conflict: the tenant has a stored user of this name.
  Transaction add(const User& user, const std::string& password_hash, const std::string& sealed_sip_password);
  // Conflict in the next two: there is no such user any more, or it is the tenant's last enabled admin and
  // `may_be_last` is false.
  Transaction change(const User& user, const UserChange& change, bool may_be_last);
  Transaction remove(const User& user, bool may_be_last);
  Transaction set_password(const User& user, const std::string& password_hash);
  // These two also for configured users.
  Transaction end_sessions(const User& user);
  Transaction set_sip_password(const User& user, const std::string& sealed);

  // Deletes the rows of users who were removed long ago.
  void expire();

 private:
  Transaction begin() const;

  Context& context_;
  Statement add_, change_, remove_, password_, end_sessions_, sip_password_;
  Statement configured_end_sessions_, configured_sip_password_, expire_;
};

}  // namespace patchbay::identity
