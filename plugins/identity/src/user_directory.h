// UserDirectory: all users in memory, the configured and the stored ones, so that each token is checked
// against the present state of its user without a query. A configured user hides a stored one of the same
// name. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "read_settings.h"
#include "revision/serial_refresh.h"
#include "user.h"

namespace patchbay::identity {

class UserDirectory {
 public:
  // `settings` is borrowed, and may be replaced by a reload.
  UserDirectory(const Host& host, const Settings& settings);

  // Pointers are valid until the next change or reload. nullptr: there is no such user.
  const User* find(std::string_view tenant, std::string_view name) const;
  // As find(), without disabled users.
  const User* enabled(std::string_view tenant, std::string_view name) const;
  const User* find_subject(std::string_view tenant, std::string_view subject) const;
  // The configured ones first, each by name.
  std::vector<const User*> all(std::string_view tenant) const;
  bool has_configured_admin(std::string_view tenant) const;
  const Account& account(const User& user) const;

  // Reads the changes since the last refresh, whose commits were complete when it is called; then calls
  // done(). An error leaves the users as they are.
  void refresh(Function<void(Status)> done);
  // Called after a refresh that has changed something.
  void on_change(Function<void()> changed) { changed_ = std::move(changed); }

 private:
  struct Stored {
    User user;
    Account account;
  };
  template <class T>
  using ByTenantAndName = std::map<std::string, std::map<std::string, T, std::less<>>, std::less<>>;
  void read_page();
  void take(const Rows& rows, size_t row);
  void end_refresh(const Status& status);
  const Stored* find_stored(std::string_view tenant, std::string_view name) const;

  const Host* host_;
  const Settings& settings_;
  Statement since_;
  ByTenantAndName<Stored> stored_;
  ByTenantAndName<Account> of_configured_;
  int64_t revision_ = 0;  // of the last row read
  bool has_changed_ = false;
  lib::SerialRefresh refreshes_{[this] { read_page(); }};
  Function<void()> changed_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
