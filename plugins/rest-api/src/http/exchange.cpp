#include "exchange.h"

#include <cassert>

#include "error_format.h"

namespace patchbay::rest_api {
namespace {

const std::string* find_value(const StringPairs& values, std::string_view name) noexcept {
  for (const auto& [key, value] : values)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace

const std::string* Request::param(std::string_view name) const noexcept { return find_value(params, name); }

const std::string* Request::query_value(std::string_view key) const noexcept {
  for (const auto& [written, value] : query)
    if (is_name(key, written)) return &value;
  return nullptr;
}

const std::string_view* Request::header(std::string_view name) const noexcept {
  for (const auto& field : headers)
    if (field.name == name) return &field.value;
  return nullptr;
}

Exchange::~Exchange() {
  if (origin_.port != nullptr && !answered_.load(std::memory_order_acquire))
    reply_error(500, "internal_error", "the request could not be processed");
}

bool Exchange::reply(Response response) noexcept {
  if (answered_.exchange(true, std::memory_order_acq_rel)) return false;
  if (origin_.port) origin_.port->deliver(origin_.connection, origin_.slot, std::move(response));
  return true;
}

bool Exchange::reply(int status, StringPairs fields, std::string content) noexcept {
  return reply(Response{status, std::move(fields), std::move(content), {}, {}, nullptr, false});
}

bool Exchange::stream(int status, StringPairs fields, std::shared_ptr<Stream> taker, bool chunked) noexcept {
  return reply(Response{status, std::move(fields), {}, {}, {}, std::move(taker), chunked});
}

void StreamWriter::wake() const noexcept {
  if (port_) port_->wake(connection_);
}

void StreamWriter::close() const noexcept {
  if (port_) port_->close(connection_);
}

bool Exchange::reply_error(int status, std::string_view code, std::string_view description) noexcept {
  return reply(error_response(status, code, description));
}

bool Exchange::refuse() noexcept {
  assert(refusal);
  return reply_error(refusal->status, refusal->code, refusal->description);
}

}  // namespace patchbay::rest_api
