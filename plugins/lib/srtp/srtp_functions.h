// The functions of libsrtp2, which is loaded and started at the first secure call, because most servers have
// none and it brings NSS along.
#pragma once

#include <patchbay/result.h>
#include <srtp2/srtp.h>

namespace patchbay::lib {

struct SrtpFunctions {
  decltype(&srtp_init) init;
  decltype(&srtp_create) create;
  decltype(&srtp_dealloc) dealloc;
  decltype(&srtp_add_stream) add_stream;
  decltype(&srtp_remove_stream) remove_stream;
  decltype(&srtp_unprotect) unprotect;
  decltype(&srtp_unprotect_rtcp) unprotect_rtcp;
  decltype(&srtp_get_stream_roc) get_stream_roc;
  decltype(&srtp_set_stream_roc) set_stream_roc;
  decltype(&srtp_crypto_policy_set_rtp_default) policy_cm_80;
  decltype(&srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32) policy_cm_32;
  decltype(&srtp_crypto_policy_set_aes_gcm_128_16_auth) policy_gcm_128;
  decltype(&srtp_crypto_policy_set_aes_gcm_256_16_auth) policy_gcm_256;
};

// [any, may block] Valid until the process ends. Code::unavailable: libsrtp2 cannot be loaded or started.
Result<const SrtpFunctions*> load_srtp();

}  // namespace patchbay::lib
