// File trees: the files of a folder, such as the pages and scripts of an application, as routes of a plugin.
//
//   post_worker(host(), [this] {
//     auto files = http::read_file_tree("/usr/share/acme/office");  // blocks
//     post(host(), kMainStrand, [this, files = std::move(files)]() mutable {
//       if (!files) return log().error("the pages cannot be read", {{"why", files.error().text}});
//       http::FileTree tree;
//       tree.path = "/office";
//       tree.headers.add("Content-Security-Policy", "default-src 'self'");
//       http::add_file_tree(routes_, tree, *std::move(files));
//     });
//   });
//
// Each file is a route, so no path of a request ever becomes one of the file system. The files are read once;
// a changed file is served after the plugin has started again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../text.h"
#include "http.h"
#include "http_file.h"
#include "http_routes.h"
#include "http_rules.h"

namespace patchbay::http {

struct TreeFile {
  std::string path;  // below the folder: "js/app.js"
  std::string content_type;
  Buffer content;
  std::string etag;  // of the content, with its quotes
};

struct FileTree {
  std::string path;    // "/office": what the paths of the files are added to; "": none
  NameValues headers;  // of each response
  std::string role = "none";
  std::string listener = "public";
};

// The type by the end of a file's name; "application/octet-stream" for unknown ones.
inline std::string_view content_type_of(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".css", "text/css; charset=utf-8"},
      {".html", "text/html; charset=utf-8"},
      {".ico", "image/x-icon"},
      {".jpg", "image/jpeg"},
      {".js", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".mp3", "audio/mpeg"},
      {".png", "image/png"},
      {".svg", "image/svg+xml"},
      {".txt", "text/plain; charset=utf-8"},
      {".wasm", "application/wasm"},
      {".webmanifest", "application/manifest+json"},
      {".webp", "image/webp"},
      {".woff2", "font/woff2"},
  };
  for (const auto& [end, type] : kTypes)
    if (name.size() > end.size() && equals_ignoring_case(name.substr(name.size() - end.size()), end))
      return type;
  return "application/octet-stream";
}

namespace detail {

// FNV-1a. It tells versions of a file apart, and protects against nothing.
inline std::string content_tag(std::string_view content) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  std::string tag = "\"";
  for (int shift = 60; shift >= 0; shift -= 4) tag += "0123456789abcdef"[(hash >> shift) & 15];
  return tag + "\"";
}

inline bool has_tag(std::string_view if_none_match, std::string_view tag) {
  bool found = false;
  for_each_word(if_none_match, [&](std::string_view one) {
    if (one.substr(0, 2) == "W/") one.remove_prefix(2);
    found = found || one == tag || one == "*";
  });
  return found;
}

// `at_folder`: the route is that of a folder, whose page is named by relative links only below its "/".
inline Response answer_file(const Request& request, const TreeFile& file, const NameValues& headers,
                            bool at_folder) {
  Response response;
  response.headers = headers;
  if (at_folder && !request.path.empty() && request.path.back() != '/') {
    response.status = 308;
    response.headers.add("Location", request.path + "/");
    return response;
  }
  response.headers.add("ETag", file.etag);
  if (has_tag(request.headers.text("if-none-match"), file.etag)) {
    response.status = 304;
    return response;
  }
  response.content_type = file.content_type;
  response.bytes = file.content;
  return response;
}

}  // namespace detail

// [worker] Reads the files of a folder and those below it into memory, which blocks. Symbolic links, and
// files and folders whose names begin with ".", are left out. Error: Code::not_found: there is no such
// folder; Code::exhausted: it has more than `max_files`, or more than `max_bytes`; Code::invalid: a name that
// no route can have, such as one with a blank; Code::failed: it cannot be read.
inline Result<std::vector<TreeFile>> read_file_tree(const std::string& folder, size_t max_files = 1000,
                                                    size_t max_bytes = size_t{32} * 1024 * 1024) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return {Code::not_found, folder + " is no folder"};
  std::vector<TreeFile> files;
  size_t left = max_bytes;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const fs::file_type type = at->symlink_status(error).type();
    if (error) break;
    if (name.front() == '.' && type == fs::file_type::directory) at.disable_recursion_pending();
    if (name.front() == '.' || type != fs::file_type::regular) continue;
    std::string path = at->path().lexically_relative(folder).generic_string();
    if (const auto route = parse_path("/" + path); !route || !route->names.empty())
      return {Code::invalid, folder + " has a file whose name no route can have: " + path};
    if (files.size() == max_files)
      return {Code::exhausted, folder + " has more than " + std::to_string(max_files) + " files"};
    PB_TRY_VALUE(Response read, file(at->path().string(), content_type_of(name), left));
    left -= read.bytes.size();
    std::string tag = detail::content_tag(read.bytes.view());
    files.push_back({std::move(path), std::move(read.content_type), std::move(read.bytes), std::move(tag)});
  }
  if (error) return {Code::failed, folder + " cannot be read: " + error.message()};
  return files;
}

// [main strand] Adds a route for each file, and for each folder that has an index.html; /office is redirected
// to /office/. Responses have an ETag, and 304 to a matching If-None-Match; Range is ignored, as RFC
// 9110 14.2 permits.
inline void add_file_tree(Routes& routes, const FileTree& tree, std::vector<TreeFile> files) {
  constexpr std::string_view kIndex = "index.html";
  for (TreeFile& each : files) {
    const auto shared = std::make_shared<const TreeFile>(std::move(each));  // of its routes
    Route route;
    route.method = "GET";
    route.role = tree.role;
    route.listener = tree.listener;
    route.catalogue = false;
    route.path = tree.path + "/" + shared->path;
    routes.add(route, [shared, headers = tree.headers](const Request& request) -> Result<Response> {
      return detail::answer_file(request, *shared, headers, false);
    });
    const std::string_view path = shared->path;
    if (path.size() < kIndex.size() || path.substr(path.size() - kIndex.size()) != kIndex) continue;
    const std::string_view above = path.substr(0, path.size() - kIndex.size());
    if (!above.empty() && above.back() != '/') continue;
    route.path = tree.path + "/" + std::string(above);
    routes.add(route, [shared, headers = tree.headers](const Request& request) -> Result<Response> {
      return detail::answer_file(request, *shared, headers, true);
    });
  }
}

}  // namespace patchbay::http
