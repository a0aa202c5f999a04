// Deletion: removes transcripts for good: rows, shares and files. The row and a job that deletes the file are
// one transaction, so that a transcript is gone for clients at once, and its file is deleted even if the
// server is killed in between. Main strand; files are deleted on workers.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <memory>
#include <string>

#include "archive.h"

namespace patchbay::transcripts {

class Deletion {
 public:
  Deletion(const Host& host, const Archive& archive);
  // Starts the worker that deletes the files.
  void start();
  void stop() { worker_.reset(); }

  // Adds the operations to the transaction. The first exec() changes one row; with `must_exist`, the commit
  // fails with Code::conflict when there is none.
  void add_to(Transaction& tx, const std::string& tenant, const std::string& call_id, int64_t attempt,
              const std::string& file, bool must_exist) const;

 private:
  void run(const Job& job);
  void complete(const Job& job, bool removed);

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Log log_;
  const Statement delete_, delete_shares_;
  std::unique_ptr<JobWorker> worker_;
  Lifetime alive_;
};

}  // namespace patchbay::transcripts
