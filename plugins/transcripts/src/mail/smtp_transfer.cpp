#include "mail/smtp_transfer.h"

#include <patchbay/text.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

const char* phrase(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return "the mail server does not answer in time";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "the mail server's name has no address";
    case CURLE_COULDNT_CONNECT:
      return "could not connect to the mail server";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "the mail server's certificate is not trusted";
    case CURLE_SSL_CONNECT_ERROR:
      return "the TLS handshake with the mail server failed";
    case CURLE_USE_SSL_FAILED:
      return "the mail server offers no STARTTLS";
    case CURLE_SSL_CACERT_BADFILE:
      return "the CA file cannot be read";
    case CURLE_LOGIN_DENIED:
      return "the mail server does not accept username and password";
    case CURLE_OUT_OF_MEMORY:
      return "the server is out of memory";
    case CURLE_WEIRD_SERVER_REPLY:
      return "the mail server's answer is not one of SMTP, or it refuses connections";
    default:
      return "the connection to the mail server broke";
  }
}

std::string url_of(const SmtpMessage& message) {
  const bool is_tls = message.server.security == MailServer::Security::tls;
  const bool is_v6 = message.server.host.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + message.server.host + "]" : message.server.host;
  return (is_tls ? "smtps://" : "smtp://") + host + ":" + std::to_string(message.server.port) + "/" +
         message.client_name;
}

}  // namespace

SmtpTransfer::SmtpTransfer(const lib::CurlFunctions& curl, Job job)
    : curl_(curl),
      message_(std::move(job.message)),
      url_(url_of(message_)),
      from_("<" + message_.server.sender.from + ">"),
      to_("<" + message_.recipient + ">"),
      done_(std::move(job.done)),
      timeout_ms_(job.timeout_ms),
      recipients_(nullptr, curl.slist_free_all),
      easy_(curl.easy_init(), curl.easy_cleanup) {}

bool SmtpTransfer::prepare() {
  recipients_.reset(curl_.slist_append(nullptr, to_.c_str()));
  if (!easy_ || !recipients_) return false;
  set(CURLOPT_URL, url_.c_str());
  set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set(CURLOPT_PROXY, "");  // ignores the proxy of the environment
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // so that a name server that hangs does not block the thread
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms_));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout_ms_));
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_MAIL_FROM, from_.c_str());
  set(CURLOPT_MAIL_RCPT, recipients_.get());
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(message_.content.size()));
  set(CURLOPT_READFUNCTION, &SmtpTransfer::on_read);
  set(CURLOPT_READDATA, this);
  set(CURLOPT_WRITEFUNCTION, &SmtpTransfer::on_write);
  // The commands and replies, to know which of them failed: libcurl reports the same code for several.
  set(CURLOPT_VERBOSE, 1L);
  set(CURLOPT_DEBUGFUNCTION, &SmtpTransfer::on_debug);
  set(CURLOPT_DEBUGDATA, this);
  set_security();
  return true;
}

void SmtpTransfer::set_security() {
  const MailServer& server = message_.server;
  const bool plain = server.security == MailServer::Security::none;
  set(CURLOPT_USE_SSL, static_cast<long>(plain ? CURLUSESSL_NONE : CURLUSESSL_ALL));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!server.ca_file.empty()) set(CURLOPT_CAINFO, server.ca_file.c_str());
  if (server.username.empty()) return;
  set(CURLOPT_USERNAME, server.username.c_str());
  set(CURLOPT_PASSWORD, server.password.c_str());
}

SmtpResult SmtpTransfer::result(CURLcode code) const {
  if (code == CURLE_OK) return {SmtpResult::Kind::sent, ""};
  const bool has_reply = reply_.size() >= 3 && (reply_[0] == '4' || reply_[0] == '5');
  if (!has_reply) return {SmtpResult::Kind::failed, phrase(code)};
  return {reply_[0] == '5' ? SmtpResult::Kind::refused : SmtpResult::Kind::failed,
          "the mail server answered: " + reply_};
}

void SmtpTransfer::on_sent(std::string_view line) {
  if (line.starts_with("MAIL FROM:")) in_transaction_ = true;
  if (line.starts_with("QUIT")) in_transaction_ = false;
}

// Only within the transaction, because replies before it might repeat parts of the authentication.
void SmtpTransfer::on_reply(std::string_view line) {
  if (in_transaction_) reply_ = printable_ascii(line, kMaxMailErrorBytes);
}

size_t SmtpTransfer::on_read(char* to, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<SmtpTransfer*>(self);
  const std::string& content = transfer.message_.content;
  const size_t part = std::min(size * count, content.size() - transfer.sent_bytes_);
  std::memcpy(to, content.data() + transfer.sent_bytes_, part);
  transfer.sent_bytes_ += part;
  return part;
}

size_t SmtpTransfer::on_write(char* /*data*/, size_t size, size_t count, void* /*self*/) {
  return size * count;
}

int SmtpTransfer::on_debug(CURL* /*easy*/, curl_infotype type, char* data, size_t size, void* self) {
  auto& transfer = *static_cast<SmtpTransfer*>(self);
  if (type == CURLINFO_HEADER_OUT) transfer.on_sent({data, size});
  if (type == CURLINFO_HEADER_IN) transfer.on_reply({data, size});
  return 0;
}

}  // namespace patchbay::transcripts
