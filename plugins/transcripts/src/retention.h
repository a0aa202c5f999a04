// Removes transcripts that are older than the operator keeps them: the file, then the row. On the main
// strand; files are removed on workers.
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
  // 0: for ever.
  void keep_days(int64_t days) { keep_days_ = days; }
  // Looks now, and then every hour.
  void sweep();

 private:
  struct Old {
    std::string tenant, call_id, file;
    int64_t attempt = 1;
  };
  void remove(std::vector<Old> all);
  void forget(const std::vector<Old>& all, bool more);
  void again();

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Log log_;
  const Statement old_, forget_;
  Timer timer_;
  int64_t keep_days_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::transcripts
