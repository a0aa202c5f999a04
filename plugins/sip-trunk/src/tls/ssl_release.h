// Frees the SSL objects of sofia-sip's connections: at the end of a connection sofia-sip frees only the BIO
// (tls_free in its tport_tls.c), and the SSL object, about 40 KB, would stay.
#pragma once

#include <openssl/ssl.h>

namespace patchbay::sip_trunk {

// From now on, each SSL object made from `context` on any thread is freed with the BIO that its thread made
// last before it, which SSL_set_bio must then give to it as both its BIOs.
void free_connections_with_bio(SSL_CTX& context);

}  // namespace patchbay::sip_trunk
