// The files of certificates that the configuration names.
#pragma once

#include <string>

namespace patchbay::sip_trunk {

// PEM files; empty: none.
struct TlsFiles {
  std::string certificate;  // the leaf, then its chain
  std::string key;          // without a password
  std::string authorities;  // trusted beside the system's
  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

}  // namespace patchbay::sip_trunk
