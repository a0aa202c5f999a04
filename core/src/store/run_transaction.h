// Runs a transaction's operations in order, and checks their expected row counts.
#pragma once

#include "store/transaction.h"
#include "store/write_session.h"

namespace patchbay::core {

// Fails with Code::misuse when savepoints and releases do not pair up.
Status check_shape(const Transaction& transaction);

// Runs inside an open transaction or savepoint; the caller rolls it back when the status is an error.
CommitResult run_transaction(WriteSession& session, const StatementRegistry& statements,
                             const Transaction& transaction);

}  // namespace patchbay::core
