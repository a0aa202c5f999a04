// Transports over Asio. The only header here that includes Asio, for the files that implement transports,
// listeners and threads.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl.hpp>
#include <memory>

#include "tls.h"
#include "transport.h"

namespace patchbay::rest_api {

struct TlsContext {
  boost::asio::ssl::context ssl{boost::asio::ssl::context::tls_server};
};

// Owns `fd`, a connected stream socket, from now on. `tls` null: plain.
std::unique_ptr<Transport> make_transport(boost::asio::io_context& loop, int fd,
                                          std::shared_ptr<TlsContext> tls);

}  // namespace patchbay::rest_api
