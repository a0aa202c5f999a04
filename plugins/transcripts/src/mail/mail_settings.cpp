#include "mail/mail_settings.h"

#include <unistd.h>

#include <utility>

#include "mail/mail_address.h"

namespace patchbay::transcripts {
namespace {

constexpr int64_t kSubmissionPort = 587, kSubmissionsPort = 465, kSmtpPort = 25;

Result<MailServer> read_server(JsonView mail, const std::string& where) {
  MailServer server;
  server.host = mail.text("host", "");
  const std::string_view security = mail.text("security", "starttls");
  int64_t port = kSubmissionPort;
  if (security == "tls") server.security = MailServer::Security::tls, port = kSubmissionsPort;
  if (security == "none") server.security = MailServer::Security::none, port = kSmtpPort;
  server.port = mail.integer("port", port);
  server.username = mail.text("username", "");
  server.password = mail.text("password", "");
  server.ca_file = mail.text("caFile", "");
  server.sender = {std::string(mail.text("from", "")), std::string(mail.text("fromName", "")),
                   std::string(mail.text("replyTo", ""))};
  if (!is_mail_address(server.sender.from))
    return Error{Code::invalid, where + ".from must be an address such as calls@example.com"};
  if (!server.sender.reply_to.empty() && !is_mail_address(server.sender.reply_to))
    return Error{Code::invalid, where + ".replyTo must be an address such as office@example.com"};
  if (!server.username.empty() && server.security == MailServer::Security::none)
    return Error{Code::invalid, where +
                                    ".username needs security starttls or tls, because the password would "
                                    "be sent without encryption"};
  if (!server.ca_file.empty() && access(server.ca_file.c_str(), R_OK) != 0)
    return Error{Code::invalid, where + ".caFile cannot be read"};
  return server;
}

}  // namespace

Result<MailSettings> MailSettings::read(const Config& config) {
  MailSettings settings;
  if (const JsonView mail = config.plugin()["mail"]) {
    PB_TRY_VALUE(settings.by_default, read_server(mail, "plugins.transcripts.mail"));
  }
  for (const Config::Tenant& tenant : config.tenants()) {
    const JsonView mail = tenant.section["mail"];
    if (!mail) continue;
    PB_TRY_VALUE(MailServer server,
                 read_server(mail, "tenants." + std::string(tenant.host) + ".transcripts.mail"));
    settings.by_tenant.emplace(tenant.host, std::move(server));
  }
  return settings;
}

const MailServer* MailSettings::find(std::string_view tenant) const {
  const auto found = by_tenant.find(tenant);
  if (found != by_tenant.end()) return &found->second;
  return by_default ? &*by_default : nullptr;
}

}  // namespace patchbay::transcripts
