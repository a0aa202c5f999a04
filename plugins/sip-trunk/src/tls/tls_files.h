// The files of certificates that the configuration names.
#pragma once

#include <map>
#include <string>

namespace patchbay::sip_trunk {

// The files of one trunk; empty: those of the server.
struct TrunkTlsFiles {
  std::string certificate;
  std::string key;
  std::string authorities;  // trusted instead of the server's
  friend auto operator<=>(const TrunkTlsFiles&, const TrunkTlsFiles&) = default;
};

// PEM files; empty: none.
struct TlsFiles {
  std::string certificate;  // the leaf, then its chain
  std::string key;          // without a password
  std::string authorities;  // trusted beside the system's
  // Of the hosts of all trunks that may use TLS, in lower case; empty while no trunk has files.
  std::map<std::string, TrunkTlsFiles> of_hosts{};
  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

}  // namespace patchbay::sip_trunk
