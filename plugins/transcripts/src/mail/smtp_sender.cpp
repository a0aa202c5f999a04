#include "mail/smtp_sender.h"

#include <utility>

#include "curl/transfer_loop.h"
#include "mail/smtp_transfer.h"

namespace patchbay::transcripts {

class SmtpSender::Loop {
 public:
  explicit Loop(int64_t timeout_ms) : timeout_ms_(timeout_ms) {}
  void send(SmtpMessage message, Done done) {
    transfers_.send({std::move(message), std::move(done), timeout_ms_});
  }

 private:
  const int64_t timeout_ms_;
  lib::TransferLoop<SmtpTransfer> transfers_{0};
};

SmtpSender::SmtpSender(int64_t timeout_ms) : loop_(std::make_unique<Loop>(timeout_ms)) {}
SmtpSender::~SmtpSender() = default;
void SmtpSender::send(SmtpMessage message, Done done) { loop_->send(std::move(message), std::move(done)); }

}  // namespace patchbay::transcripts
