// RevisionPoll: reports to the parts of a plugin that rows have changed, whichever process of the database
// has changed them. A change raises the revision of its domain in its own transaction; each process reads the
// revisions once a second, and at once when another one gives a hint. The plugin's store.sql has a table with
// a row per domain, and two statements on it:
//   -- name: revisions
//   SELECT domain, rev FROM x_revision;
//   -- name: revision_raise
//   -- notify
//   UPDATE x_revision SET rev = rev + 1 WHERE domain = $1;
// Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <map>
#include <string>

#include "revision/hinted_poll.h"

namespace patchbay::lib {

inline constexpr int64_t kRevisionPollMs = 1000;

class RevisionPoll {
 public:
  explicit RevisionPoll(const Host& host);

  // Calls changed() when the revision of `domain` differs from the last one read.
  void watch(const std::string& domain, Function<void()> changed);
  void start() { poll_.start(); }
  void stop() {
    poll_.stop();
    stopped_ = true;
  }
  // Adds the raise of the revision. The first operation of a transaction, because it locks the row: revisions
  // then become visible in their order.
  void raise(Transaction& tx, const char* domain) const;

 private:
  static constexpr int64_t kUnread = -1;
  struct Watch {
    int64_t revision = kUnread;
    Function<void()> changed;
  };
  void read();
  void take(const Rows& rows);

  const Host* host_;
  Log log_;
  Statement revisions_, raise_;
  Metric changes_after_hints_, changes_after_intervals_;
  std::map<std::string, Watch, std::less<>> watches_;  // by domain
  bool failed_ = false;
  bool stopped_ = false;
  HintedPoll poll_;
  Lifetime alive_;
};

}  // namespace patchbay::lib
