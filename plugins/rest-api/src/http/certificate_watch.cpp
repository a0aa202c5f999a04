#include "certificate_watch.h"

#include <system_error>
#include <utility>

namespace patchbay::rest_api {

CertificateWatch::CertificateWatch(std::vector<TlsFiles> files)
    : files_(std::move(files)), times_(modification_times()) {}

bool CertificateWatch::changed() {
  auto times = modification_times();
  return std::exchange(times_, times) != times;
}

std::vector<std::filesystem::file_time_type> CertificateWatch::modification_times() const {
  std::vector<std::filesystem::file_time_type> times;
  std::error_code ignored;
  for (const TlsFiles& files : files_) {
    times.push_back(std::filesystem::last_write_time(files.certificate, ignored));
    times.push_back(std::filesystem::last_write_time(files.key, ignored));
  }
  return times;
}

}  // namespace patchbay::rest_api
