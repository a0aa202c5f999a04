// Private to the library: the Asio side of an IoThread.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "websocket/io_thread.h"

namespace patchbay::lib {

struct IoThread::Impl {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{context.get_executor()};
  // By CA file, cached because reading Debian's bundle takes milliseconds. Used on the thread only.
  std::map<std::string, std::shared_ptr<boost::asio::ssl::context>> tls;
  std::thread thread;
};

}  // namespace patchbay::lib
