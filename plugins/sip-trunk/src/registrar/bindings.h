// Bindings: the contacts that telephones have registered (RFC 3261 section 10.3), in memory. Pure; the caller
// passes the time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registrar/register_types.h"

namespace patchbay::sip_trunk {

using BindingId = uint64_t;

struct Binding {
  BindingId id = 0;
  std::string tenant;
  std::string user;
  std::string uri;
  std::string instance;
  std::string call_id;  // with the next one: of the latest REGISTER
  uint32_t sequence = 0;
  lib::SocketAddress source;  // where calls go to
  Transport transport = Transport::udp;
  std::string user_agent;
  std::string algorithm;        // of the credentials, with the next one
  std::string mark_key;         // of the next one
  std::string credential_mark;  // tells whether the user's password is still the same
  int64_t since_ms = 0;         // wall clock
  int64_t expires_ns = 0;       // monotonic clock
};

class Bindings {
 public:
  struct Limits {
    int64_t min_expires_sec = 60;
    int64_t default_expires_sec = 600;
    int64_t max_expires_sec = 3600;
    size_t per_user = 10;
    size_t total = 10'000;
  };
  // Who has sent a request, proven by its credentials.
  struct Sender {
    std::string tenant;
    std::string user;
    std::string algorithm;
    std::string mark_key;
    std::string credential_mark{};
  };
  struct Outcome {
    int status = 200;
    int64_t min_expires_sec = 0;  // with 423
    std::vector<BindingId> added{}, renewed{}, removed{};
  };

  // Applies all of a request, or nothing: 400 (malformed), 403 (too many contacts of the user), 423 (too
  // brief), 500 (older than a request that was applied), 503 (too many contacts in all).
  Outcome apply(const RegisterRequest& request, const Sender& sender, const Limits& limits, int64_t now_ns,
                int64_t wall_ms);
  // Adds a contact of an earlier start with a new id. Nothing: the user, or all, have too many.
  std::optional<BindingId> restore(Binding binding, const Limits& limits);
  // Removes what has expired, and returns it.
  std::vector<BindingId> expire(int64_t now_ns);
  void remove(BindingId id);

  // null: it is gone.
  const Binding* find(BindingId id) const;
  std::vector<const Binding*> of(const std::string& tenant, const std::string& user) const;
  const std::map<BindingId, Binding>& all() const noexcept { return all_; }

 private:
  struct Step {
    const RegisterContact* contact;
    Binding* known;  // null: a new one
    int64_t expires_sec;
  };
  Outcome remove_all(const RegisterRequest& request, const Sender& sender);
  int plan(const RegisterRequest& request, const Sender& sender, const Limits& limits,
           std::vector<Step>& steps);
  Binding* matching(const Sender& sender, const RegisterContact& contact);

  std::map<BindingId, Binding> all_;
  std::multimap<std::pair<std::string, std::string>, BindingId> by_user_;  // tenant and user
  BindingId last_id_ = 0;
};

}  // namespace patchbay::sip_trunk
