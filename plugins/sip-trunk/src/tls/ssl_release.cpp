#include "tls/ssl_release.h"

#include <utility>

namespace patchbay::sip_trunk {
namespace {

thread_local BIO* newest_bio = nullptr;

// The callback of a BIO, with its SSL object as argument. The BIO has no reference left: it gets those of the
// SSL object, whose end frees it, and this call of BIO_free does not (BIO_set_callback(3), BIO_CB_FREE).
long on_bio(BIO* bio, int operation, const char*, size_t, int, long, int result, size_t*) {
  auto* const ssl = reinterpret_cast<SSL*>(BIO_get_callback_arg(bio));
  if (operation != BIO_CB_FREE || ssl == nullptr) return result;
  BIO_set_callback_arg(bio, nullptr);
  BIO_up_ref(bio);
  BIO_up_ref(bio);
  SSL_free(ssl);
  return 0;
}

void on_new_bio(void* bio, void*, CRYPTO_EX_DATA*, int, long, void*) { newest_bio = static_cast<BIO*>(bio); }

int context_index();

// The SSL object gets the BIO now, without references, so that the last one is sofia-sip's: SSL_set_bio with
// BIOs that are already set takes none. The context gets a reference, because sofia-sip also frees that of
// the SSL object.
void on_new_ssl(void* object, void*, CRYPTO_EX_DATA*, int, long, void*) {
  auto* const ssl = static_cast<SSL*>(object);
  if (SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index()) == nullptr) return;
  BIO* const bio = std::exchange(newest_bio, nullptr);
  if (bio == nullptr || BIO_method_type(bio) != BIO_TYPE_SOCKET) return;
  SSL_CTX_up_ref(SSL_get_SSL_CTX(ssl));
  SSL_set0_rbio(ssl, bio);
  SSL_set0_wbio(ssl, bio);
  BIO_set_callback_arg(bio, reinterpret_cast<char*>(ssl));
  BIO_set_callback_ex(bio, on_bio);
}

// Marks the contexts.
int context_index() {
  static const int index =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

void free_connections_with_bio(SSL_CTX& context) {
  // OpenSSL calls these for every object of the process.
  static const int bios =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_BIO, 0, nullptr, on_new_bio, nullptr, nullptr);
  static const int connections =
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nullptr, on_new_ssl, nullptr, nullptr);
  if (bios >= 0 && connections >= 0) SSL_CTX_set_ex_data(&context, context_index(), &context);
}

}  // namespace patchbay::sip_trunk
