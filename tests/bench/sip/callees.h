// The three programs that take the calls of bench-sip-calls.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace patchbay::bench {

struct Callee {
  std::string name;
  uint16_t port;  // UDP on 127.0.0.1
  // The processor time so far, including the kernel's part, of what is measured.
  double cpu_us() const;

  std::unique_ptr<test::TempFolder> folder;
  std::vector<test::Child> children;
  std::vector<pid_t> measured;
};

// `patchbay serve` with a virtual number, whose AI is the example echo-engine: no network belongs to it.
Result<Callee> start_patchbay();
// Debian's Kamailio, stateful and in the route of the calls. SIPp, which takes them, is not measured.
Result<Callee> start_kamailio();
Result<Callee> start_sipp_uas();

}  // namespace patchbay::bench
