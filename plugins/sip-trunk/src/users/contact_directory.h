// ContactDirectory: where the users can be rung now, as the providers of contacts have added them. Main
// strand.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/services/telephony.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace patchbay::sip_trunk {

class ContactDirectory {
 public:
  struct Entry {
    telephony::AddContact contact;
    int64_t since_ms = 0;  // wall clock
  };
  explicit ContactDirectory(const Host& host) : host_(host) {}

  // Implements Telephony::add_contact.
  Result<Empty> add(const telephony::AddContact& contact);

  // In the order of their names. `user` "": of all users of the tenant, in the order of the users.
  std::vector<Entry> of(const std::string& tenant, const std::string& user = {}) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // tenant, user, name
  struct Known {
    Entry entry;
    EndWatch ended;
  };

  const Host& host_;
  std::map<Key, Known> contacts_;
};

}  // namespace patchbay::sip_trunk
