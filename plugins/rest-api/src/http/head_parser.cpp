#include "head_parser.h"

#include <patchbay/text.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>

#include "authority.h"

namespace patchbay::rest_api {
namespace {

namespace beast_http = boost::beast::http;
using BeastError = boost::beast::error_code;

constexpr size_t kUsualFields = 16;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Collects what Beast finds in exactly one head.
class Collector : public beast_http::basic_parser<true> {
 public:
  Collector(Head& out, char* base, size_t max_fields) : out_(out), base_(base), max_fields_(max_fields) {
    header_limit(1 << 20);  // HeadReader has checked the size already
    body_limit(std::numeric_limits<uint64_t>::max());
  }

  bool too_many() const { return too_many_; }
  std::string_view target() const { return target_; }

 private:
  void on_request_impl(beast_http::verb, boost::beast::string_view method, boost::beast::string_view target,
                       int version, BeastError&) override {
    out_.method_text = view(method);
    out_.method = method_from(out_.method_text);
    out_.http_1_0 = version == 10;
    target_ = view(target);
  }

  void on_field_impl(beast_http::field, boost::beast::string_view name, boost::beast::string_view value,
                     BeastError& error) override {
    if (out_.fields.size() == max_fields_) {
      too_many_ = true;
      error = beast_http::make_error_code(beast_http::error::header_limit);
      return;
    }
    char* writable = base_ + (name.data() - base_);
    std::transform(writable, writable + name.size(), writable,
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    out_.fields.push_back({view(name), view(value)});
  }

  void on_response_impl(int, boost::beast::string_view, int, BeastError&) override {}
  void on_header_impl(BeastError&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, BeastError&) override {}
  size_t on_body_impl(boost::beast::string_view, BeastError&) override { return 0; }
  void on_chunk_header_impl(uint64_t, boost::beast::string_view, BeastError&) override {}
  size_t on_chunk_body_impl(uint64_t, boost::beast::string_view, BeastError&) override { return 0; }
  void on_finish_impl(BeastError&) override {}

  Head& out_;
  char* base_;
  size_t max_fields_;
  std::string_view target_;
  bool too_many_ = false;
};

// Fields that may not be repeated, because attackers exploit servers that disagree on which value counts.
bool is_singleton(std::string_view name) {
  static constexpr std::array<std::string_view, 18> kNames = {
      "authorization", "content-encoding", "content-length", "content-type",
      "date",          "expect",           "from",           "host",
      "if-range",      "idempotency-key",  "origin",         "range",
      "max-forwards",  "referer",          "user-agent",     "transfer-encoding",
      "upgrade",       "content-range"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.substr(0, 11) == "x-platform-" || name == "sec-websocket-key" ||
         name == "sec-websocket-version";
}

std::optional<uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 18) return {};
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

std::optional<HeadError> check_fields(Head& head, std::string_view& host) {
  bool has_host = false;
  bool has_upgrade_websocket = false;
  for (size_t i = 0; i < head.fields.size(); ++i) {
    const std::string_view name = head.fields[i].name;  // no bindings: clang 14 captures none
    const std::string_view value = head.fields[i].value;
    if (is_singleton(name) &&
        std::any_of(head.fields.begin(), head.fields.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Field& other) { return other.name == name; }))
      return HeadError{400, "a header field that must be single is repeated"};
    if (name == "host") {
      has_host = true;
      host = value;
    } else if (name == "content-length") {
      head.content_length = parse_length(value);
      if (!head.content_length) return HeadError{400, "Content-Length is not a number"};
    } else if (name == "transfer-encoding") {
      if (!equals_ignoring_case(value, "chunked") || head.http_1_0)
        return HeadError{400, "Transfer-Encoding must be chunked, under HTTP/1.1"};
      head.chunked = true;
    } else if (name == "expect") {
      if (!equals_ignoring_case(value, "100-continue"))
        return HeadError{417, "Expect may only be 100-continue"};
      head.expects_continue = !head.http_1_0;
    } else if (name == "content-encoding") {
      head.content_coded = !value.empty() && !equals_ignoring_case(value, "identity");
    } else if (name == "upgrade") {
      has_upgrade_websocket = equals_ignoring_case(value, "websocket");
    }
  }
  if (head.chunked && head.content_length)
    return HeadError{400, "Content-Length and Transfer-Encoding exclude each other"};
  if (!has_host && !head.http_1_0) return HeadError{400, "Host is missing"};
  head.upgrade_websocket = head.upgrade_websocket && has_upgrade_websocket && !head.http_1_0;
  if (has_host) {
    auto name = parse_authority(host);
    if (!name) return HeadError{400, "Host is not valid"};
    head.host = std::move(*name);
  }
  return {};
}

// Accepts origin-form, absolute-form that agrees with Host, and "*" for OPTIONS (RFC 9112 3.2).
std::optional<HeadError> read_target(Head& head, std::string_view target, std::string_view host) {
  static constexpr HeadError kBad{400, "the request target is not valid"};
  if (target == "*") {
    if (head.method != Method::options) return kBad;
    head.path = target;
    return {};
  }
  const size_t scheme = equals_ignoring_case(target.substr(0, 7), "http://")    ? 7
                        : equals_ignoring_case(target.substr(0, 8), "https://") ? 8
                                                                                : 0;
  if (scheme != 0) {
    target.remove_prefix(scheme);
    const auto end = std::min(target.find_first_of("/?"), target.size());
    const auto authority = target.substr(0, end);
    auto name = parse_authority(authority);
    if (!name) return kBad;
    if (!host.empty() && !equals_ignoring_case(authority, host))
      return HeadError{400, "Host and the request target disagree"};
    head.host = std::move(*name);
    target.remove_prefix(end);
    if (target.empty() || target.front() == '?') {
      head.path = "/";
      head.query = target.empty() ? target : target.substr(1);
      return is_query(head.query) ? std::nullopt : std::optional(kBad);
    }
  }
  const auto mark = target.find('?');
  head.path = target.substr(0, mark);
  if (mark != std::string_view::npos) head.query = target.substr(mark + 1);
  if (head.path.empty() || head.path.front() != '/' || !is_path(head.path) || !is_query(head.query))
    return kBad;
  return {};
}

}  // namespace

std::optional<HeadError> parse_head(char* data, size_t length, size_t max_fields, Head& out) {
  out.fields.reserve(kUsualFields);
  Collector collector(out, data, max_fields);
  BeastError error;
  const auto used = collector.put(boost::asio::buffer(data, length), error);
  if (collector.too_many()) return HeadError{431, "there are too many header fields"};
  if (error || used != length || !collector.is_header_done())
    return HeadError{400, "the request line or a header field is malformed"};
  out.keep_alive = collector.keep_alive();
  out.upgrade_websocket = collector.upgrade();
  std::string_view host;
  if (auto bad = check_fields(out, host)) return bad;
  return read_target(out, collector.target(), host);
}

}  // namespace patchbay::rest_api
