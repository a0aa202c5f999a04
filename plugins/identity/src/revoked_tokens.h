// RevokedTokens: the ids of revoked access tokens, grants and sessions, in memory, so that each token is
// checked without a query. The store has them until the last token with that id has expired. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "revision/revision_poll.h"
#include "revision/serial_refresh.h"

namespace patchbay::identity {

class RevokedTokens {
 public:
  explicit RevokedTokens(const Host& host, const lib::RevisionPoll& revisions);

  bool contains(const std::string& id) const { return !id.empty() && revoked_.count(id) != 0; }
  // Whether no more of the tenant can be remembered.
  bool full(const std::string& tenant) const;

  // Begins a transaction that revokes; add() each id to it.
  Transaction begin() const;
  void add(Transaction& tx, const std::string& tenant, const std::string& id, int64_t expires_ms) const;
  // Reads the changes since the last refresh, whose commits were complete when it is called; then calls
  // done(). An error leaves the ids as they are.
  void refresh(Function<void(Status)> done);
  // Called after a refresh that has changed something.
  void on_change(Function<void()> changed) { changed_ = std::move(changed); }
  // Forgets what has expired, here and in the store.
  void expire(Transaction& tx);

 private:
  void read_page();
  void end_refresh(const Status& status);

  const Host* host_;
  const lib::RevisionPoll& revisions_;
  Statement add_, since_, expire_;
  struct Revoked {
    std::string tenant;
    int64_t expires_ms = 0;
  };
  std::unordered_map<std::string, Revoked> revoked_;  // by id
  std::unordered_map<std::string, size_t> counts_;    // of them, by tenant
  // Position of the last row read. One revision may have several rows, which a page may part.
  int64_t revision_ = 0;
  std::string last_id_;
  bool has_changed_ = false;
  lib::SerialRefresh refreshes_{[this] { read_page(); }};
  Function<void()> changed_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
