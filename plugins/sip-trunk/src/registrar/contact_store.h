// ContactStore: the registered contacts over UDP in the store, so that telephones can be rung after a
// restart. Those over TCP and TLS end with their connection. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registrar/bindings.h"

namespace patchbay::sip_trunk {

class ContactStore {
 public:
  // A contact with the time of its end, as wall-clock milliseconds.
  struct Stored {
    Binding binding;
    int64_t expires_ms = 0;
  };
  // `node`: this server. The contacts of another one are reached only from there, because a telephone's NAT
  // lets in only who it has sent to.
  ContactStore(const Host& host, std::string node);

  // Calls done() once, with the contacts that have not expired; with none when they cannot be read. Removes
  // the others, of all servers.
  void load(Function<void(std::vector<Stored>)> done);
  // The contact has this id now, and is as it was loaded.
  void adopt(BindingId id, Stored stored);
  // Stores a new or changed contact. A renewed contact is stored only when less than half of the time that
  // the store has for it is left, so that refreshes cost little. One transaction runs at a time.
  void save(const Binding& binding, int64_t expires_ms);
  void remove(BindingId id);
  // Whether save() stores a contact of which the store has `known`. Pure.
  static bool is_worth_storing(const Stored& known, const Binding& now, int64_t now_ms, int64_t expires_ms);

 private:
  struct Key {
    std::string tenant, user, uri;
    auto operator<=>(const Key&) const = default;
  };
  using Changes = std::map<Key, std::optional<Stored>>;  // nothing: to be removed
  void flush();
  void put(Transaction& tx, const Stored& contact) const;

  // borrowed
  const Host& host_;
  // owned
  const std::string node_;
  const Log log_;
  const Statement put_, remove_, of_node_, expire_;
  // state
  std::map<BindingId, Stored> stored_;  // as the store has them, or will
  Changes unwritten_;
  Timer retry_;
  bool is_writing_ = false;  // or waits to try again
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
