#include "tls/certificate_files.h"

#include <string>
#include <system_error>
#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

CertificateFiles::CertificateFiles(const Host& host, Function<void(Certificates)> changed)
    : log_(host), changed_(std::move(changed)), timer_(host) {}

Result<CertificateFiles::Certificates> CertificateFiles::load(const TlsFiles& files) {
  files_ = files;
  times_ = times();  // before loading, so that no change is missed
  timer_.after_ms(kCertificatePollMs, [this] { look(); });
  return TlsCertificates::load(files);
}

std::vector<std::filesystem::file_time_type> CertificateFiles::times() const {
  std::vector<std::filesystem::file_time_type> found;
  std::vector<std::string> files{files_.certificate, files_.key, files_.authorities};
  for (const auto& [host, trunk] : files_.of_hosts)
    files.insert(files.end(), {trunk.certificate, trunk.key, trunk.authorities});
  for (const std::string& file : files) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(file, error);
    found.push_back(error ? std::filesystem::file_time_type() : time);
  }
  return found;
}

// A certificate and its key may be renewed one after the other: the pair counts once it fits, and until then
// the earlier one stays in use.
void CertificateFiles::look() {
  if (times() == times_) return timer_.after_ms(kCertificatePollMs, [this] { look(); });
  auto loaded = load(files_);
  if (!loaded)
    return log_.error("the certificates of SIP could not be reloaded", {{"why", loaded.error().text}});
  log_.info("the certificates of SIP were reloaded");
  changed_(*std::move(loaded));
}

}  // namespace patchbay::sip_trunk
