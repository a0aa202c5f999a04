#include "store/postgres_functions.h"

#include <dlfcn.h>

#include <mutex>
#include <string>

namespace patchbay::core {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, PostgresFunctions& pq) {
  return find(library, "PQconninfoParse", pq.conninfoParse) &&
         find(library, "PQconninfoFree", pq.conninfoFree) &&
         find(library, "PQconnectdbParams", pq.connectdbParams) && find(library, "PQfinish", pq.finish) &&
         find(library, "PQstatus", pq.status) && find(library, "PQerrorMessage", pq.errorMessage) &&
         find(library, "PQserverVersion", pq.serverVersion) && find(library, "PQsocket", pq.socket) &&
         find(library, "PQsetnonblocking", pq.setnonblocking) &&
         find(library, "PQsetNoticeReceiver", pq.setNoticeReceiver) &&
         find(library, "PQenterPipelineMode", pq.enterPipelineMode) &&
         find(library, "PQpipelineSync", pq.pipelineSync) &&
         find(library, "PQsendQueryParams", pq.sendQueryParams) &&
         find(library, "PQsendPrepare", pq.sendPrepare) &&
         find(library, "PQsendDescribePrepared", pq.sendDescribePrepared) &&
         find(library, "PQsendQueryPrepared", pq.sendQueryPrepared) && find(library, "PQflush", pq.flush) &&
         find(library, "PQconsumeInput", pq.consumeInput) && find(library, "PQisBusy", pq.isBusy) &&
         find(library, "PQnotifies", pq.notifies) && find(library, "PQgetResult", pq.getResult) &&
         find(library, "PQgetCancel", pq.getCancel) && find(library, "PQcancel", pq.cancel) &&
         find(library, "PQfreeCancel", pq.freeCancel) && find(library, "PQclear", pq.clear) &&
         find(library, "PQfreemem", pq.freemem) && find(library, "PQresultStatus", pq.resultStatus) &&
         find(library, "PQresultErrorField", pq.resultErrorField) &&
         find(library, "PQcmdStatus", pq.cmdStatus) && find(library, "PQcmdTuples", pq.cmdTuples) &&
         find(library, "PQntuples", pq.ntuples) && find(library, "PQnfields", pq.nfields) &&
         find(library, "PQftype", pq.ftype) && find(library, "PQgetisnull", pq.getisnull) &&
         find(library, "PQgetvalue", pq.getvalue) && find(library, "PQgetlength", pq.getlength) &&
         find(library, "PQnparams", pq.nparams) && find(library, "PQparamtype", pq.paramtype);
}

}  // namespace

Result<const PostgresFunctions*> load_postgres() {
  static std::mutex mutex;
  static PostgresFunctions pq{};  // guarded by mutex until it is loaded
  static bool is_loaded = false;
  const std::lock_guard lock(mutex);
  if (is_loaded) return &pq;
  void* library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return {Code::unavailable, "the library libpq.so.5 cannot be loaded: install the package libpq5"};
  is_loaded = find_all(library, pq);
  if (!is_loaded)
    return {Code::unavailable, "the library libpq.so.5 is too old: version 14 or later is needed"};
  return &pq;
}

}  // namespace patchbay::core
