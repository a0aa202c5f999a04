// JsonParser: the host's JSON functions for engines, which are libraries without a host. Thread-safe.
#pragma once

#include <patchbay/host.h>

#include <string>
#include <string_view>

namespace patchbay::lib {

class JsonParser {
 public:
  JsonParser() = default;  // fails for every text
  explicit JsonParser(const Host& host) : JsonParser(host.json, host.self) {}
  // `host`: first argument of the table's functions.
  JsonParser(const pb_json* table, void* host) : table_(table), host_(host) {}

  Result<Json> parse(std::string_view text) const {
    if (table_ == nullptr) return {Code::misuse, "no JSON parser"};
    pb_json_doc* doc = nullptr;
    pb_err err = empty_error();
    const int32_t status = table_->parse(host_, to_abi(text), &doc, &err);
    if (status != PB_OK) return read_error(status, &err);
    return Json(table_, host_, doc);
  }
  std::string write(JsonView view) const {
    return std::string(Buffer::adopt(table_->write(host_, view.node())).view());
  }

 private:
  const pb_json* table_ = nullptr;
  void* host_ = nullptr;
};

}  // namespace patchbay::lib
