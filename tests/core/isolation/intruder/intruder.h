// The service of the plugin that tries to leave its process.
#pragma once

#include <patchbay/service.h>

namespace patchbay::intruder {

struct Attempt {
  std::string what;  // "read", "write", "list", "signal", "trace", ... (plugin.cpp has them all)
  std::string path;
  int64_t pid = 0;
  PATCHBAY_FIELDS(what, path, pid)
};

struct Outcome {
  int64_t error = 0;  // errno; 0: it went well
  PATCHBAY_FIELDS(error)
};

struct Place {
  std::string where;  // "main", "strand" or "media"
  PATCHBAY_FIELDS(where)
};

struct Intruder {
  static constexpr char id[] = "test.intruder/1";
  static constexpr Method<0, Attempt, Outcome> attempt{"attempt"};
  // Never comes back from a callback there.
  static constexpr Method<1, Place, Empty> hang{"hang"};
  // Leaves a job on a worker that takes longer than a stop may.
  static constexpr Method<2, Empty, Empty> linger{"linger"};
  // Ends its process by a signal.
  static constexpr Method<3, Empty, Empty> crash{"crash"};
  static constexpr auto methods() { return std::make_tuple(attempt, hang, linger, crash); }
};

}  // namespace patchbay::intruder
