#include "user_directory.h"

#include <utility>

#include "crypto/digest.h"

namespace patchbay::identity {
namespace {

constexpr size_t kPageRows = 500;  // of the statement users_since

enum Column : size_t {
  kTenant,
  kName,
  kSource,
  kSubject,
  kDisplayName,
  kRole,
  kDisabled,
  kPasswordHash,
  kSessions,
  kSipPassword,
  kCreatedMs,
  kCreatedBy,
  kRemovedMs,
  kRev
};

User read_stored_user(const Rows& rows, size_t row) {
  const auto text = [&](Column column) { return std::string(rows.text(row, column)); };
  User user;
  user.tenant = text(kTenant);
  user.name = text(kName);
  user.subject = text(kSubject);
  user.display_name = text(kDisplayName);
  user.role = text(kRole);
  user.disabled = rows.integer(row, kDisabled) != 0;
  user.fingerprint = lib::sha256("stored\n" + user.subject + "\n" + text(kPasswordHash));
  user.credential = std::make_shared<Credential>(text(kPasswordHash), "");
  user.stored = true;
  user.created_ms = rows.integer(row, kCreatedMs);
  user.created_by = text(kCreatedBy);
  return user;
}

// Returns the value of map[tenant][name], or nullptr.
template <class Map>
auto* find_in(const Map& map, std::string_view tenant, std::string_view name) {
  const auto of = map.find(tenant);
  using Pointer = decltype(&of->second.begin()->second);
  if (of == map.end()) return Pointer{};
  const auto found = of->second.find(name);
  return found == of->second.end() ? Pointer{} : &found->second;
}

}  // namespace

UserDirectory::UserDirectory(const Host& host, const Settings& settings)
    : host_(&host), settings_(settings), since_(Statement::find(host, "users_since")) {}

const UserDirectory::Stored* UserDirectory::find_stored(std::string_view tenant,
                                                        std::string_view name) const {
  return find_in(stored_, tenant, name);
}

const User* UserDirectory::find(std::string_view tenant, std::string_view name) const {
  const Tenant* of = settings_.tenant(tenant);
  if (of == nullptr) return nullptr;
  const auto configured = of->users.find(name);
  if (configured != of->users.end()) return &configured->second;
  const Stored* stored = find_stored(tenant, name);
  return stored != nullptr ? &stored->user : nullptr;
}

const User* UserDirectory::enabled(std::string_view tenant, std::string_view name) const {
  const User* user = find(tenant, name);
  return user == nullptr || user->disabled ? nullptr : user;
}

const User* UserDirectory::find_subject(std::string_view tenant, std::string_view subject) const {
  for (const User* user : all(tenant))
    if (user->subject == subject) return user;
  return nullptr;
}

std::vector<const User*> UserDirectory::all(std::string_view tenant) const {
  std::vector<const User*> users;
  const Tenant* of = settings_.tenant(tenant);
  if (of == nullptr) return users;
  for (const auto& [name, user] : of->users) users.push_back(&user);
  const auto stored = stored_.find(tenant);
  if (stored == stored_.end()) return users;
  for (const auto& [name, entry] : stored->second)
    if (of->users.count(name) == 0) users.push_back(&entry.user);
  return users;
}

bool UserDirectory::has_configured_admin(std::string_view tenant) const {
  const Tenant* of = settings_.tenant(tenant);
  if (of == nullptr) return false;
  for (const auto& [name, user] : of->users)
    if (user.role == "admin" && !user.disabled) return true;
  return false;
}

const Account& UserDirectory::account(const User& user) const {
  static const Account kNone;
  if (user.stored) {
    const Stored* stored = find_stored(user.tenant, user.name);
    return stored != nullptr ? stored->account : kNone;
  }
  const Account* account = find_in(of_configured_, user.tenant, user.name);
  return account != nullptr ? *account : kNone;
}

void UserDirectory::refresh(Function<void(Status)> done) { refreshes_.request(std::move(done)); }

void UserDirectory::read_page() {
  query(*host_, since_, {revision_}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows) return end_refresh(rows.error());
    for (size_t row = 0; row < rows->size(); ++row) take(*rows, row);
    if (rows->size() == kPageRows) return read_page();
    end_refresh({});
  }));
}

void UserDirectory::take(const Rows& rows, size_t row) {
  revision_ = rows.integer(row, kRev);
  has_changed_ = true;
  const std::string tenant(rows.text(row, kTenant)), name(rows.text(row, kName));
  const Account account{rows.integer(row, kSessions), std::string(rows.text(row, kSipPassword))};
  if (rows.text(row, kSource) == "config") {
    of_configured_[tenant][name] = account;
  } else if (rows.integer(row, kRemovedMs) > 0) {
    stored_[tenant].erase(name);
  } else {
    stored_[tenant][name] = Stored{read_stored_user(rows, row), account};
  }
}

void UserDirectory::end_refresh(const Status& status) {
  if (std::exchange(has_changed_, false) && changed_) changed_();
  refreshes_.end(status);
}

}  // namespace patchbay::identity
