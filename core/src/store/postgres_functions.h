// The functions of libpq, which is loaded at their first use: a server with SQLite does not need it.
#pragma once

#include <libpq-fe.h>
#include <patchbay/result.h>

namespace patchbay::core {

// The members are named after libpq's functions, without "PQ".
struct PostgresFunctions {
  decltype(&::PQconninfoParse) conninfoParse;
  decltype(&::PQconninfoFree) conninfoFree;
  decltype(&::PQconnectdbParams) connectdbParams;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQerrorMessage) errorMessage;
  decltype(&::PQserverVersion) serverVersion;
  decltype(&::PQsocket) socket;
  decltype(&::PQsetnonblocking) setnonblocking;
  decltype(&::PQsetNoticeReceiver) setNoticeReceiver;
  decltype(&::PQenterPipelineMode) enterPipelineMode;
  decltype(&::PQpipelineSync) pipelineSync;
  decltype(&::PQsendQueryParams) sendQueryParams;
  decltype(&::PQsendPrepare) sendPrepare;
  decltype(&::PQsendDescribePrepared) sendDescribePrepared;
  decltype(&::PQsendQueryPrepared) sendQueryPrepared;
  decltype(&::PQflush) flush;
  decltype(&::PQconsumeInput) consumeInput;
  decltype(&::PQisBusy) isBusy;
  decltype(&::PQnotifies) notifies;
  decltype(&::PQgetResult) getResult;
  decltype(&::PQgetCancel) getCancel;
  decltype(&::PQcancel) cancel;
  decltype(&::PQfreeCancel) freeCancel;
  decltype(&::PQclear) clear;
  decltype(&::PQfreemem) freemem;
  decltype(&::PQresultStatus) resultStatus;
  decltype(&::PQresultErrorField) resultErrorField;
  decltype(&::PQcmdStatus) cmdStatus;
  decltype(&::PQcmdTuples) cmdTuples;
  decltype(&::PQntuples) ntuples;
  decltype(&::PQnfields) nfields;
  decltype(&::PQftype) ftype;
  decltype(&::PQgetisnull) getisnull;
  decltype(&::PQgetvalue) getvalue;
  decltype(&::PQgetlength) getlength;
  decltype(&::PQnparams) nparams;
  decltype(&::PQparamtype) paramtype;
};

// [any, may block] Loads libpq at the first call; valid for the life of the process. Code::unavailable: it is
// not installed.
Result<const PostgresFunctions*> load_postgres();

// Frees a result.
struct PostgresResultDeleter {
  const PostgresFunctions* pq = nullptr;
  void operator()(PGresult* result) const { pq->clear(result); }
};

}  // namespace patchbay::core
