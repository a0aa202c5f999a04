// /api.ashx/v1/admin/users: creates, lists, changes and removes users. A reply to a change is sent once this
// process counts with it. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/strand.h>

#include <functional>
#include <memory>

#include "context.h"
#include "password_queue.h"
#include "user_store.h"

namespace patchbay::identity {

class UserRoutes {
 public:
  UserRoutes(Context& context, PasswordQueue& passwords);

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Handle = void (UserRoutes::*)(const http::Request&, Reply);
  // A change of one user, from its transaction to the reply.
  struct Edit {
    http::Request request;
    const char* action;
    User user;           // as it was, or is to be created
    std::string before;  // JSON, for the audit record; "": the user is created
    std::string after;   // JSON; "": the user is removed
    int64_t status = 200;
    std::string secrets;  // members of the reply that are shown once: ,"password":"..."
  };

  http::Route route(const char* method, const std::string& tail, const char* summary) const;
  void add(http::Routes& routes, http::Route route, Handle handle);
  void create(const http::Request& request, Reply reply);
  void list(const http::Request& request, Reply reply);
  void get(const http::Request& request, Reply reply);
  void change(const http::Request& request, Reply reply);
  void set_password(const http::Request& request, Reply reply);
  void set_sip_password(const http::Request& request, Reply reply);
  void end_sessions(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);

  // Hashes on a worker, then calls then(hash); answers itself when that fails.
  void hash(const http::Request& request, const std::string& password, Reply reply,
            Function<void(const std::string& hash, Reply)> then);
  void commit(Transaction tx, Edit edit, Reply reply);
  http::Response committed(const Edit& edit) const;
  static http::Response refused(const Edit& edit, bool is_there);
  std::string tenant_of(const http::Request& request) const;
  const User* find(const http::Request& request) const;
  Edit edit_of(const http::Request& request, const char* action, const User& user) const;
  void sweep_later();
  bool may_be_last(const http::Request& request, const std::string& tenant) const;

  Context& context_;
  PasswordQueue& passwords_;
  UserStore store_;
  Timer sweep_timer_;
  audit::Trail trail_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
