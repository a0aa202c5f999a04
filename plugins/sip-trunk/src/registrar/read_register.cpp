#include "registrar/read_register.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "stack/header_text.h"
#include "stack/request_screen.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// Returns -1 for a null or malformed number (RFC 3261 section 10.3: as if it were not there).
int64_t seconds_of(const char* text) {
  if (text == nullptr) return -1;
  const std::string_view digits = trim(text);
  if (digits.empty() || digits.size() > 10 || !is_digits(digits)) return -1;
  return std::strtoll(std::string(digits).c_str(), nullptr, 10);
}

// A request URI and a header are made of it later.
bool is_usable_uri(const std::string& uri) {
  return !uri.empty() && uri.size() <= kMaxContactBytes && std::all_of(uri.begin(), uri.end(), [](char c) {
    return c > 0x20 && c < 0x7F && c != '<' && c != '>' && c != '"';
  });
}

std::string uri_text(const url_t* url) {
  char buffer[kMaxContactBytes + 1];
  const auto size = url_e(buffer, sizeof(buffer), url);
  if (size < 0 || static_cast<size_t>(size) >= sizeof(buffer)) return {};
  return std::string(buffer, static_cast<size_t>(size));
}

std::string instance_of(const sip_contact_t& contact) {
  const char* instance = msg_params_find(contact.m_params, "+sip.instance=");
  if (instance == nullptr) return {};
  const char* number = msg_params_find(contact.m_params, "reg-id=");
  return printable_ascii(instance, kMaxShownBytes) + (number != nullptr ? std::string("/") + number : "");
}

void read_contacts(const sip_t& request, RegisterRequest& out) {
  for (const sip_contact_t* next = request.sip_contact; next != nullptr; next = next->m_next) {
    if (next->m_url->url_type == url_any) {
      out.removes_all = true;
      continue;
    }
    RegisterContact contact;
    contact.uri = uri_text(next->m_url);
    contact.expires_sec = seconds_of(next->m_expires);
    contact.instance = instance_of(*next);
    const bool is_sip = next->m_url->url_type == url_sip || next->m_url->url_type == url_sips;
    if (!is_sip || !is_usable_uri(contact.uri) || out.contacts.size() == kMaxContactsPerRegister) {
      out.is_complete = false;
      return;
    }
    out.contacts.push_back(std::move(contact));
  }
}

}  // namespace

std::string realm_of(const sip_t& request) {
  const char* host = request.sip_to->a_url->url_host;
  return host != nullptr ? to_lower(host) : std::string();
}

RegisterRequest read_register(const sip_t& request, const lib::SocketAddress& source) {
  RegisterRequest out;
  out.source = source;
  out.transport = transport_of_via(request);
  const char* uri_host = request.sip_request->rq_url->url_host;
  if (uri_host != nullptr) out.uri_host = to_lower(uri_host);
  const char* user = request.sip_to->a_url->url_user;
  if (user != nullptr) out.user = percent_decode(user).value_or("");
  out.host = realm_of(request);
  out.call_id = request.sip_call_id->i_id;
  if (request.sip_cseq != nullptr) out.sequence = request.sip_cseq->cs_seq;
  if (request.sip_expires != nullptr) out.expires_sec = static_cast<int64_t>(request.sip_expires->ex_delta);
  read_contacts(request, out);
  if (out.call_id.size() > kMaxHeaderFieldBytes) out.is_complete = false;
  for (const msg_auth_t* next = request.sip_authorization;
       next != nullptr && out.credentials.size() < kMaxCredentials; next = next->au_next)
    out.credentials.push_back(header_text(next));
  if (request.sip_user_agent != nullptr)
    out.user_agent = printable_ascii(header_text(request.sip_user_agent), kMaxShownParameterBytes);
  return out;
}

}  // namespace patchbay::sip_trunk
