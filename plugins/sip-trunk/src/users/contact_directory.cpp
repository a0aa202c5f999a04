#include "users/contact_directory.h"

#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

Result<Empty> ContactDirectory::add(const telephony::AddContact& contact) {
  if (contact.tenant.empty() || contact.user.empty() || contact.name.empty() || !contact.contact)
    return {Code::invalid, "a contact has a tenant, a user, a name and a handle"};
  const Key key{contact.tenant, contact.user, contact.name};
  const auto found = contacts_.find(key);
  if (found == contacts_.end()) {
    if (contacts_.size() >= kMaxContacts) return {Code::exhausted, "the server has too many contacts"};
    if (of(contact.tenant, contact.user).size() >= kMaxContactsOfUser)
      return {Code::exhausted, "the user has too many contacts"};
  }
  Known& known = contacts_[key];
  const bool is_same = known.entry.contact.contact.id == contact.contact.id;
  if (!is_same) {
    known.entry.since_ms = host_.wall_ms();
    known.ended = EndWatch(host_, contact.contact, [this, key, id = contact.contact.id] {
      const auto at = contacts_.find(key);
      if (at != contacts_.end() && at->second.entry.contact.contact.id == id) contacts_.erase(at);
    });
  }
  known.entry.contact = contact;
  return Empty{};
}

std::vector<ContactDirectory::Entry> ContactDirectory::of(const std::string& tenant,
                                                          const std::string& user) const {
  std::vector<Entry> out;
  for (auto at = contacts_.lower_bound({tenant, user, {}}); at != contacts_.end(); ++at) {
    const auto& [of_tenant, of_user, name] = at->first;
    if (of_tenant != tenant || (!user.empty() && of_user != user)) break;
    out.push_back(at->second.entry);
  }
  return out;
}

}  // namespace patchbay::sip_trunk
