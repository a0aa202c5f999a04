// A reading statement whose rows are wanted as JSON.
#pragma once

#include <string>

#include "store/sql_value.h"
#include "store/transaction.h"

namespace patchbay::core {

struct JsonQuery {
  StatementId statement;
  Values values;
  std::string members;  // as in pb_store::query_json
};

}  // namespace patchbay::core
