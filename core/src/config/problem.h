// An error or warning in a configuration, worded so that the user can fix it without a manual.
#pragma once

#include <string>
#include <vector>

namespace patchbay::core::config {

struct Problem {
  std::string file;  // or "environment variable PATCHBAY_..."
  int line = 0;      // from 1; 0: none, e.g. for a variable
  int column = 0;    // from 1
  std::string path;  // "tenants.acme.example.sip-trunk.trunks[0].host"; "" for the whole file
  std::string text;  // "must be at least 10"
  std::string hint;  // how to fix it; may be empty

  // "patchbay.yaml:12:5: tenants.a.b must be at least 10; write 10 or more"
  std::string sentence() const;
};

std::string sentences(const std::vector<Problem>& problems);  // one per line

}  // namespace patchbay::core::config
