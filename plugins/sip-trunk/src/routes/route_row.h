// RouteRow: one row of a tenant's outbound or inbound routes. Pure; any thread.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "number/number.h"

namespace patchbay::sip_trunk {

enum class Domain { outbound, inbound };

// "outbound-routes" or "inbound-routes": in the store and in paths.
std::string_view domain_name(Domain domain) noexcept;

// Where a row comes from: the configuration (read-only), REST, or nowhere: the catchall that exists until one
// is configured or written.
enum class Source { config, api, automatic };

struct RouteRow {
  // Error: which field breaks which rule, with an example.
  static Result<RouteRow> outbound(std::string_view match, const std::vector<std::string>& trunk_ids);
  static Result<RouteRow> inbound(std::string_view did, std::string_view from_number, std::string_view user);
  // A stored row.
  static Result<RouteRow> read(Domain domain, std::string_view number, std::string_view caller,
                               std::string_view target);

  std::vector<std::string> trunk_ids() const;
  // Whether it is the row `*` of inbound routes, which stays last and is never deleted.
  bool is_catchall() const noexcept { return domain == Domain::inbound && number == "*"; }
  // Whether it is about callers who withhold their number.
  bool is_anonymous() const noexcept { return domain == Domain::inbound && number == "anonymous"; }
  // Number and caller in one spelling, for the comparison of rows. `global` and `*` match the same numbers,
  // but are different rows.
  std::string number_key() const;
  std::string caller_key() const;
  bool has_pair_of(const RouteRow& other) const {
    return number_key() == other.number_key() && caller_key() == other.caller_key();
  }
  // Which numbers and callers it matches, each as one pattern. The did `anonymous` is about the caller: it
  // matches calls without caller ID to any number.
  std::string called_pattern() const;
  std::string calling_pattern() const;
  // Whether it matches no call: the did `anonymous` with a filter for a number.
  bool contradicts_itself() const;
  // Both are normalised; nullopt: the call names no number, or has no caller ID.
  bool matches(const std::optional<std::string>& called,
               const std::optional<std::string>& calling) const noexcept;

  Domain domain;
  Source source = Source::api;
  std::string id;      // of the stored row
  int64_t place = 0;   // orders the stored rows; 0: not placed yet
  std::string number;  // `match` or `did`, as written
  std::string caller;  // `fromNumber` as written; "": any caller
  std::string target;  // `user`, or the `trunkIds` separated by blanks
  lib::NumberPattern number_pattern;
  std::optional<lib::NumberPattern> caller_pattern;
};

using RouteRows = std::vector<RouteRow>;

// The first row that matches a normalised number to dial; null: none.
const RouteRow* first_match(const RouteRows& rows, const std::string& number) noexcept;

}  // namespace patchbay::sip_trunk
