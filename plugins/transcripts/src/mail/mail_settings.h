// MailSettings: the SMTP servers of the tenants, from the configuration.
#pragma once

#include <patchbay/config.h>
#include <patchbay/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "mail/outcome_message.h"

namespace patchbay::transcripts {

struct MailServer {
  enum class Security : uint8_t { starttls, tls, none };
  std::string host;
  int64_t port = 0;
  Security security = Security::starttls;
  std::string username;  // "": no authentication
  std::string password;
  std::string ca_file;  // "": the system's authorities
  MailSender sender;
};

struct MailSettings {
  std::optional<MailServer> by_default;
  std::map<std::string, MailServer, std::less<>> by_tenant;

  // Error: an address that is none, or a password that would be sent without encryption.
  static Result<MailSettings> read(const Config& config);
  // Null when there is none.
  const MailServer* find(std::string_view tenant) const;
};

}  // namespace patchbay::transcripts
