#include "store/deterministic_functions.h"

#include <algorithm>
#include <iterator>

namespace patchbay::core {
namespace {

constexpr std::string_view kFunctions[] = {
    // Of values.
    "abs", "char", "coalesce", "format", "glob", "hex", "ifnull", "iif", "instr", "length", "like",
    "likelihood", "likely", "lower", "ltrim", "nullif", "octet_length", "printf", "quote", "replace", "round",
    "rtrim", "sign", "substr", "substring", "trim", "typeof", "unicode", "unlikely", "upper",
    // Of numbers.
    "ceil", "ceiling", "exp", "floor", "ln", "log", "log10", "log2", "mod", "pow", "power", "sqrt", "trunc",
    // Of rows.
    "avg", "count", "group_concat", "max", "min", "string_agg", "sum", "total", "cume_dist", "dense_rank",
    "first_value", "lag", "last_value", "lead", "nth_value", "ntile", "percent_rank", "rank", "row_number",
    // Of JSON.
    "->", "->>", "json", "json_array", "json_array_length", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_patch", "json_quote", "json_remove",
    "json_replace", "json_set", "json_type", "json_valid"};

}  // namespace

bool is_deterministic(std::string_view function) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

}  // namespace patchbay::core
