// A self-signed certificate for localhost and 127.0.0.1, generated in memory.
#pragma once

#include <string>

namespace patchbay::support {

struct Certificate {
  std::string certificate_pem;
  std::string key_pem;
};

Certificate make_certificate();

}  // namespace patchbay::support
