#include "user_store.h"

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

Value or_null(const std::optional<std::string>& text) { return text ? Value(*text) : Value(nullptr); }

}  // namespace

UserStore::UserStore(Context& context)
    : context_(context),
      add_(Statement::find(context.host, "user_add")),
      change_(Statement::find(context.host, "user_change")),
      remove_(Statement::find(context.host, "user_remove")),
      password_(Statement::find(context.host, "user_password")),
      end_sessions_(Statement::find(context.host, "user_end_sessions")),
      sip_password_(Statement::find(context.host, "user_sip_password")),
      configured_end_sessions_(Statement::find(context.host, "configured_end_sessions")),
      configured_sip_password_(Statement::find(context.host, "configured_sip_password")),
      expire_(Statement::find(context.host, "users_expire")) {}

Transaction UserStore::begin() const {
  Transaction tx(context_.host);
  context_.revisions.raise(tx, "users");
  return tx;
}

Transaction UserStore::add(const User& user, const std::string& password_hash,
                           const std::string& sealed_sip_password) {
  Transaction tx = begin();
  tx.exec(add_,
          {user.tenant, user.name, user.subject, user.display_name, user.role, user.disabled ? 1 : 0,
           password_hash, Value::bytes(sealed_sip_password), user.created_ms, user.created_by},
          1);
  return tx;
}

Transaction UserStore::change(const User& user, const UserChange& change, bool may_be_last) {
  Transaction tx = begin();
  tx.exec(change_,
          {user.tenant, user.name, or_null(change.display_name), or_null(change.role),
           change.disabled ? Value(*change.disabled ? 1 : 0) : Value(nullptr), may_be_last ? 1 : 0},
          1);
  return tx;
}

Transaction UserStore::remove(const User& user, bool may_be_last) {
  Transaction tx = begin();
  tx.exec(remove_, {user.tenant, user.name, context_.host.wall_ms(), may_be_last ? 1 : 0}, 1);
  return tx;
}

Transaction UserStore::set_password(const User& user, const std::string& password_hash) {
  Transaction tx = begin();
  tx.exec(password_, {user.tenant, user.name, password_hash}, 1);
  return tx;
}

Transaction UserStore::end_sessions(const User& user) {
  Transaction tx = begin();
  if (user.stored) {
    tx.exec(end_sessions_, {user.tenant, user.name}, 1);
  } else {
    tx.exec(configured_end_sessions_, {user.tenant, user.name, context_.host.wall_ms()}, 1);
  }
  return tx;
}

Transaction UserStore::set_sip_password(const User& user, const std::string& sealed) {
  Transaction tx = begin();
  if (user.stored) {
    tx.exec(sip_password_, {user.tenant, user.name, Value::bytes(sealed)}, 1);
  } else {
    tx.exec(configured_sip_password_, {user.tenant, user.name, Value::bytes(sealed), context_.host.wall_ms()},
            1);
  }
  return tx;
}

void UserStore::expire() {
  Transaction tx(context_.host);
  tx.exec(expire_, {context_.host.wall_ms() - kRemovedUserMs});
  std::move(tx).commit([](const Commit&) {});
}

}  // namespace patchbay::identity
