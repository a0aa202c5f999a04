// SmtpTransfer: one message in flight: a libcurl handle and the state of its callbacks. Used on the sender's
// thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "curl/curl_functions.h"
#include "mail/smtp_sender.h"

namespace patchbay::transcripts {

class SmtpTransfer {
 public:
  struct Job {
    SmtpMessage message;
    SmtpSender::Done done;
    int64_t timeout_ms;
  };
  SmtpTransfer(const lib::CurlFunctions& curl, Job job);

  bool prepare();
  CURL* easy() const noexcept { return easy_.get(); }
  void complete(CURLcode code) { done_(result(code)); }
  static void refuse(Job& job) {
    job.done({SmtpResult::Kind::failed, "libcurl cannot be loaded on the server"});
  }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    curl_.easy_setopt(easy(), option, value);
  }
  void set_security();
  SmtpResult result(CURLcode code) const;
  void on_sent(std::string_view line);
  void on_reply(std::string_view line);

  static size_t on_read(char* to, size_t size, size_t count, void* self);
  static size_t on_write(char* data, size_t size, size_t count, void* self);
  static int on_debug(CURL* easy, curl_infotype type, char* data, size_t size, void* self);

  // borrowed
  const lib::CurlFunctions& curl_;
  // owned
  const SmtpMessage message_;
  const std::string url_, from_, to_;
  SmtpSender::Done done_;
  const int64_t timeout_ms_;
  std::unique_ptr<curl_slist, decltype(lib::CurlFunctions::slist_free_all)> recipients_;
  std::unique_ptr<CURL, decltype(lib::CurlFunctions::easy_cleanup)> easy_;
  // state
  size_t sent_bytes_ = 0;
  bool in_transaction_ = false;  // MAIL was sent, QUIT was not
  std::string reply_;            // the last one within the transaction
};

}  // namespace patchbay::transcripts
