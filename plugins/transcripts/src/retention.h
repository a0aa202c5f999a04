// Deletes transcripts older than `keepDays`: the file, then the row. Main strand; files are deleted on
// workers.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>
#include <vector>

#include "archive.h"

namespace patchbay::transcripts {

class Retention {
 public:
  Retention(const Host& host, const Archive& archive);
  // 0: keeps transcripts for ever.
  void set_keep_days(int64_t days) { keep_days_ = days; }
  // Deletes old transcripts now, and then every kSweepIntervalMs.
  void sweep();

 private:
  struct OldTranscript {
    std::string tenant, call_id, file;
    int64_t attempt = 1;
  };
  void remove_files(std::vector<OldTranscript> all);
  void delete_rows(const std::vector<OldTranscript>& all, bool more);
  void sweep_later();

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Log log_;
  const Statement list_old_, delete_;
  Timer timer_;
  int64_t keep_days_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::transcripts
