// Runs a transaction's operations, in order, with their expectations and savepoints.
#pragma once

#include "store/transaction.h"
#include "store/write_session.h"

namespace patchbay::core {

// Code::misuse when savepoints and releases do not pair up.
Status check_shape(const Transaction& transaction);

// Inside an open transaction or savepoint, which the caller undoes when the status is not ok.
CommitResult run_transaction(WriteSession& session, const StatementRegistry& statements,
                             const Transaction& transaction);

}  // namespace patchbay::core
