#include "srtp/srtp_functions.h"

#include <array>
#include <cstdio>
#include <mutex>

#include "library/shared_library.h"

namespace patchbay::lib {
namespace {

Status load_into(SrtpFunctions& srtp) {
  PB_TRY_VALUE(const SharedLibrary library, SharedLibrary::load("libsrtp2.so.1", "libsrtp2-1"));
  PB_TRY(library.find("srtp_init", srtp.init));
  PB_TRY(library.find("srtp_create", srtp.create));
  PB_TRY(library.find("srtp_dealloc", srtp.dealloc));
  PB_TRY(library.find("srtp_add_stream", srtp.add_stream));
  PB_TRY(library.find("srtp_remove_stream", srtp.remove_stream));
  PB_TRY(library.find("srtp_unprotect", srtp.unprotect));
  PB_TRY(library.find("srtp_unprotect_rtcp", srtp.unprotect_rtcp));
  PB_TRY(library.find("srtp_get_stream_roc", srtp.get_stream_roc));
  PB_TRY(library.find("srtp_set_stream_roc", srtp.set_stream_roc));
  PB_TRY(library.find("srtp_crypto_policy_set_rtp_default", srtp.policy_cm_80));
  PB_TRY(library.find("srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32", srtp.policy_cm_32));
  PB_TRY(library.find("srtp_crypto_policy_set_aes_gcm_128_16_auth", srtp.policy_gcm_128));
  PB_TRY(library.find("srtp_crypto_policy_set_aes_gcm_256_16_auth", srtp.policy_gcm_256));
  return {};
}

// A session that is never used or freed: while one lives, NSS stays started, without which each further
// session would cost half a millisecond.
srtp_t create_lasting_session(const SrtpFunctions& srtp) {
  std::array<unsigned char, SRTP_MASTER_KEY_LEN> key{};
  srtp_policy_t policy{};
  policy.ssrc.type = ssrc_any_inbound;
  srtp.policy_cm_80(&policy.rtp);
  srtp.policy_cm_80(&policy.rtcp);
  policy.key = key.data();
  srtp_t session = nullptr;
  return srtp.create(&session, &policy) == srtp_err_status_ok ? session : nullptr;
}

// Other plugins have a copy of this code, but share libsrtp2, whose srtp_init() must run only once and by one
// thread. All copies share the lock of a standard stream. libsrtp2 creates no session before it
// is started, which shows whether another plugin has done so. It is never shut down, because others may use
// it.
srtp_t start(const SrtpFunctions& srtp) {
  ::flockfile(stderr);
  srtp_t session = create_lasting_session(srtp);
  if (session == nullptr && srtp.init() == srtp_err_status_ok) session = create_lasting_session(srtp);
  ::funlockfile(stderr);
  return session;
}

}  // namespace

Result<const SrtpFunctions*> load_srtp() {
  static std::mutex mutex;
  static SrtpFunctions srtp{};      // guarded by mutex until it is loaded
  static srtp_t session = nullptr;  // null: not loaded
  const std::lock_guard lock(mutex);
  if (session != nullptr) return &srtp;
  PB_TRY(load_into(srtp));
  session = start(srtp);
  if (session == nullptr) return Error{Code::unavailable, "libsrtp2 cannot be started"};
  return &srtp;
}

}  // namespace patchbay::lib
