#include "registrar/contact_store.h"

#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// What the proof of a contact's password is sealed for.
std::string proof_context(const Binding& binding) {
  return "sip_trunk_contact " + binding.tenant + " " + binding.user + " " + binding.uri;
}

}  // namespace

ContactStore::ContactStore(const Host& host, std::string node)
    : host_(host),
      node_(std::move(node)),
      log_(host),
      put_(Statement::find(host, "contact_put")),
      remove_(Statement::find(host, "contact_remove")),
      of_node_(Statement::find(host, "contacts_of_node")),
      expire_(Statement::find(host, "contacts_expire")),
      retry_(host) {}

void ContactStore::load(Function<void(std::vector<Stored>)> done) {
  const int64_t now_ms = host_.wall_ms();
  Transaction tx(host_);
  tx.exec(expire_, {now_ms});
  std::move(tx).commit([](const Commit&) {});
  query(host_, of_node_, {node_, now_ms},
        alive_.bind([this, done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) log_.error("the registered telephones cannot be read", {{"why", rows.error().text}});
          std::vector<Stored> contacts;
          for (size_t row = 0; rows && row < rows->size(); ++row) {
            Stored contact;
            Binding& binding = contact.binding;
            size_t column = 0;
            std::string address;
            for (std::string* field : {&binding.tenant, &binding.user, &binding.uri, &binding.instance,
                                       &address, &binding.user_agent, &binding.algorithm})
              *field = rows->text(row, column++);
            const auto proof = unseal(host_, rows->text(row, column++), proof_context(binding));
            const int64_t port = rows->integer(row, column++);
            binding.since_ms = rows->integer(row, column++);
            contact.expires_ms = rows->integer(row, column);
            const auto source = lib::SocketAddress::parse(address, static_cast<uint16_t>(port));
            const size_t middle = proof ? proof->find(' ') : std::string::npos;
            if (!source || middle == std::string::npos) continue;  // of another key file
            binding.source = *source;
            binding.mark_key = proof->substr(0, middle);
            binding.credential_mark = proof->substr(middle + 1);
            contacts.push_back(std::move(contact));
          }
          done(std::move(contacts));
        }));
}

void ContactStore::adopt(BindingId id, Stored stored) { stored_[id] = std::move(stored); }

bool ContactStore::is_worth_storing(const Stored& known, const Binding& now, int64_t now_ms,
                                    int64_t expires_ms) {
  const Binding& old = known.binding;
  return old.uri != now.uri || old.instance != now.instance || !(old.source == now.source) ||
         old.user_agent != now.user_agent || old.algorithm != now.algorithm || old.mark_key != now.mark_key ||
         old.credential_mark != now.credential_mark || expires_ms < known.expires_ms ||
         (known.expires_ms - now_ms) * 2 < expires_ms - now_ms;
}

void ContactStore::save(const Binding& binding, int64_t expires_ms) {
  if (binding.transport != Transport::udp) return remove(binding.id);
  const auto known = stored_.find(binding.id);
  if (known != stored_.end()) {
    if (!is_worth_storing(known->second, binding, host_.wall_ms(), expires_ms)) return;
    if (known->second.binding.uri != binding.uri)
      unwritten_[{binding.tenant, binding.user, known->second.binding.uri}] = std::nullopt;
  }
  const Stored contact{binding, expires_ms};
  stored_[binding.id] = contact;
  unwritten_[{binding.tenant, binding.user, binding.uri}] = contact;
  flush();
}

void ContactStore::remove(BindingId id) {
  const auto known = stored_.find(id);
  if (known == stored_.end()) return;
  const Binding& binding = known->second.binding;
  unwritten_[{binding.tenant, binding.user, binding.uri}] = std::nullopt;
  stored_.erase(known);
  flush();
}

void ContactStore::flush() {
  if (is_writing_ || unwritten_.empty()) return;
  is_writing_ = true;
  Changes changes = std::exchange(unwritten_, {});
  Transaction tx(host_);
  for (const auto& [key, contact] : changes) {
    if (contact) {
      put(tx, *contact);
    } else {
      tx.exec(remove_, {node_, key.tenant, key.user, key.uri});
    }
  }
  std::move(tx).commit(alive_.bind([this, changes = std::move(changes)](const Commit& commit) mutable {
    if (!commit) {
      log_.warn("registered telephones could not be stored", {{"why", commit.error().text}});
      unwritten_.merge(changes);  // those that changed meanwhile stay
      return retry_.after_ms(kContactStoreRetryMs, [this] {
        is_writing_ = false;
        flush();
      });
    }
    is_writing_ = false;
    flush();
  }));
}

void ContactStore::put(Transaction& tx, const Stored& contact) const {
  const Binding& binding = contact.binding;
  const auto proof = seal(host_, binding.mark_key + " " + binding.credential_mark, proof_context(binding));
  if (!proof) return log_.error("a registered telephone cannot be stored", {{"why", proof.error().text}});
  tx.exec(put_, {node_, binding.tenant, binding.user, binding.uri, binding.instance, binding.source.ip_text(),
                 static_cast<int64_t>(binding.source.port()), binding.user_agent, binding.algorithm,
                 Value::bytes(*proof), binding.since_ms, contact.expires_ms});
}

}  // namespace patchbay::sip_trunk
