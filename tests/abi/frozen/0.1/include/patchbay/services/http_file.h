// file(): a response with the content of a file.
//
//   post_worker(host, [reply = std::move(reply)]() mutable {
//     auto page = http::file("/srv/pages/index.html", "text/html; charset=utf-8");
//     if (!page) return reply(http::error(404, "not_found", "there is no such page"));
//     reply(*std::move(page));
//   });
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "../descriptor.h"
#include "http.h"

namespace patchbay::http {

// [worker] Reads the whole file into memory, which blocks; keep the response's `bytes` to send them again
// without reading. The plugin's own rights apply; never pass a path made of a request's text. Error:
// Code::not_found: there is no regular file at `path`; Code::exhausted: it is larger than `max_bytes`, or
// there is no memory; Code::failed: it cannot be read. The response of an isolated plugin is limited to 16
// MiB.
inline Result<Response> file(const std::string& path, std::string_view content_type,
                             size_t max_bytes = size_t{16} * 1024 * 1024) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened)
    return {errno == ENOENT || errno == ENOTDIR ? Code::not_found : Code::failed, path + " cannot be opened"};
  struct stat about {};
  if (::fstat(opened.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return {Code::not_found, path + " is no regular file"};
  const auto size = static_cast<size_t>(about.st_size);
  if (size > max_bytes)
    return {Code::exhausted, path + " is larger than " + std::to_string(max_bytes) + " bytes"};
  std::string content(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(opened.get(), content.data() + filled, size - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {Code::failed, path + " cannot be read"};
    if (count == 0) break;  // truncated since fstat
    filled += static_cast<size_t>(count);
  }
  Response response;
  response.content_type = content_type;
  PB_TRY_VALUE(response.bytes, Buffer::try_copy(std::string_view(content).substr(0, filled)));
  return response;
}

}  // namespace patchbay::http
