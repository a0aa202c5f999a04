// CertificateFiles: loads the certificates of the configuration, and again when a file has changed. Main
// strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "tls/certificates.h"

namespace patchbay::sip_trunk {

class CertificateFiles {
 public:
  using Certificates = std::shared_ptr<const TlsCertificates>;

  // Calls changed(certificates) when files have been loaded again.
  CertificateFiles(const Host& host, Function<void(Certificates)> changed);

  // Loads the files now, and watches them from then on.
  Result<Certificates> load(const TlsFiles& files);

 private:
  // A missing file has the time 0.
  std::vector<std::filesystem::file_time_type> times() const;
  void look();

  const Log log_;
  Function<void(Certificates)> changed_;
  TlsFiles files_;
  std::vector<std::filesystem::file_time_type> times_;
  Timer timer_;
};

}  // namespace patchbay::sip_trunk
