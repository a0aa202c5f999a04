// Only for the files that implement transports, listeners and threads: the one header here that includes
// Asio.
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

// Takes over `fd`, a connected stream socket. `tls` may be null.
std::unique_ptr<Transport> make_transport(boost::asio::io_context& loop, int fd,
                                          std::shared_ptr<TlsContext> tls);

}  // namespace patchbay::rest_api
