#include "registrar/register_exchange.h"

#include <string>
#include <utility>

namespace patchbay::sip_trunk {

RegisterExchange::RegisterExchange(DialogId id, nua_t* nua, nua_handle_t* handle, std::atomic<size_t>& count)
    : id_(id), handle_(handle, this, count), request_(msg_ref_create(nua_current_request(nua))) {}

RegisterExchange::~RegisterExchange() { msg_destroy(request_); }

void RegisterExchange::answer(const RegisterReply& reply) {
  if (std::exchange(closed_, true)) return;
  const char* const phrase = sip_status_phrase(reply.status);
  const std::string min_expires = std::to_string(reply.min_expires_sec);
  const std::string retry_after = std::to_string(reply.retry_after_sec);
  std::string challenges;  // a header line each, as sofia-sip takes any number of lines
  for (const std::string& value : reply.challenges)
    challenges += (challenges.empty() ? "WWW-Authenticate: " : "\r\nWWW-Authenticate: ") + value;
  nua_respond(handle_.get(), reply.status, phrase != nullptr ? phrase : "Refused", NUTAG_WITH(request_),
              TAG_IF(!challenges.empty(), SIPTAG_HEADER_STR(challenges.c_str())),
              TAG_IF(!reply.contacts.empty(), SIPTAG_CONTACT_STR(reply.contacts.c_str())),
              TAG_IF(reply.min_expires_sec > 0, SIPTAG_MIN_EXPIRES_STR(min_expires.c_str())),
              TAG_IF(reply.retry_after_sec > 0, SIPTAG_RETRY_AFTER_STR(retry_after.c_str())),
              TAG_IF(!reply.warning.empty(), SIPTAG_WARNING_STR(reply.warning.c_str())), TAG_END());
}

}  // namespace patchbay::sip_trunk
