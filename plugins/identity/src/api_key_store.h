// ApiKeyStore: creates, lists, deletes and verifies API keys: "ak_" and 43 characters of base 62, stored as
// SHA-256. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/audit.h>
#include <patchbay/store.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace patchbay::identity {

struct ApiKey {
  std::string id;  // "key-" and 16 hex digits
  std::string tenant;
  std::string name;
  std::string hint;  // the last four characters of the key
  int64_t created_ms = 0;
  std::string created_by;
};

struct NewApiKey {
  ApiKey key;
  std::string secret;  // never shown again
};

bool looks_like_api_key(std::string_view bearer);

// Returns whether a key may have this name (UTF-8): no control characters, no line separators, no invisible
// or direction-changing characters, no blank at either end.
bool is_key_name(std::string_view name);

class ApiKeyStore {
 public:
  explicit ApiKeyStore(const Host& host);

  // create() and remove() complete the audit record of the request and commit with it.
  // Code::conflict: the tenant has a key with this name.
  void create(const std::string& tenant, const std::string& name, const std::string& created_by,
              audit::Record record, Function<void(Result<NewApiKey>)> done);
  void list(const std::string& tenant, Function<void(Result<std::vector<ApiKey>>)> done);
  // Returns the deleted key, or nothing if there was none. After done(), verify() refuses the key, also in
  // calls that are pending.
  void remove(const std::string& tenant, const std::string& id, audit::Record record,
              Function<void(Result<std::optional<ApiKey>>)> done);
  // Returns a key with id, tenant and name only. Code::denied: no such key.
  void verify(const std::string& bearer, Function<void(Result<ApiKey>)> done);

 private:
  struct Cached {
    ApiKey key;
    int64_t until_ms;
  };
  void remove_row(const ApiKey& key, audit::Record record,
                  Function<void(Result<std::optional<ApiKey>>)> done);
  void look_up(const std::string& hash, Function<void(Result<ApiKey>)> done);
  int64_t now_ms() const noexcept { return host_->mono_ns() / 1'000'000; }

  const Host* host_;
  Statement add_, find_, list_, get_, remove_;
  audit::Trail trail_;
  std::unordered_map<std::string, Cached> cache_;  // by hash
  uint64_t removals_ = 0;                          // lookups started before the last removal are repeated
  Lifetime alive_;
};

}  // namespace patchbay::identity
