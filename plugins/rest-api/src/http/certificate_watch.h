// Notices renewed certificates, by the modification times of their files. One thread.
#pragma once

#include <filesystem>
#include <vector>

#include "tls.h"

namespace patchbay::rest_api {

class CertificateWatch {
 public:
  explicit CertificateWatch(std::vector<TlsFiles> files);
  // Whether a certificate or key file has changed since the last call, or since construction.
  bool changed();

 private:
  std::vector<std::filesystem::file_time_type> modification_times() const;

  const std::vector<TlsFiles> files_;
  std::vector<std::filesystem::file_time_type> times_;
};

}  // namespace patchbay::rest_api
