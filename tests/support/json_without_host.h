// The host's JSON functions without a host.
#pragma once

#include <patchbay/json.h>

#include <string_view>

#include "abi/host_context.h"

inline patchbay::Result<patchbay::Json> json_without_host(std::string_view text) {
  const pb_json& table = patchbay::core::json_table_without_host();
  pb_json_doc* doc = nullptr;
  pb_err err = patchbay::empty_error();
  const int32_t status = table.parse(nullptr, patchbay::to_abi(text), &doc, &err);
  if (status != PB_OK) return patchbay::read_error(status, &err);
  return patchbay::Json(&table, nullptr, doc);
}
