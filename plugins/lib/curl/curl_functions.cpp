#include "curl/curl_functions.h"

#include <mutex>

#include "library/shared_library.h"

namespace patchbay::lib {
namespace {

Status load_into(CurlFunctions& curl) {
  PB_TRY_VALUE(const SharedLibrary library, SharedLibrary::load("libcurl.so.4", "libcurl4"));
  PB_TRY(library.find("curl_global_init", curl.global_init));
  PB_TRY(library.find("curl_free", curl.free));
  PB_TRY(library.find("curl_slist_append", curl.slist_append));
  PB_TRY(library.find("curl_slist_free_all", curl.slist_free_all));
  PB_TRY(library.find("curl_url", curl.url));
  PB_TRY(library.find("curl_url_cleanup", curl.url_cleanup));
  PB_TRY(library.find("curl_url_get", curl.url_get));
  PB_TRY(library.find("curl_url_set", curl.url_set));
  PB_TRY(library.find("curl_easy_init", curl.easy_init));
  PB_TRY(library.find("curl_easy_cleanup", curl.easy_cleanup));
  PB_TRY(library.find("curl_easy_reset", curl.easy_reset));
  PB_TRY(library.find("curl_easy_setopt", curl.easy_setopt));
  PB_TRY(library.find("curl_easy_getinfo", curl.easy_getinfo));
  PB_TRY(library.find("curl_easy_perform", curl.easy_perform));
  PB_TRY(library.find("curl_easy_strerror", curl.easy_strerror));
  PB_TRY(library.find("curl_multi_init", curl.multi_init));
  PB_TRY(library.find("curl_multi_cleanup", curl.multi_cleanup));
  PB_TRY(library.find("curl_multi_setopt", curl.multi_setopt));
  PB_TRY(library.find("curl_multi_add_handle", curl.multi_add_handle));
  PB_TRY(library.find("curl_multi_remove_handle", curl.multi_remove_handle));
  PB_TRY(library.find("curl_multi_perform", curl.multi_perform));
  PB_TRY(library.find("curl_multi_poll", curl.multi_poll));
  PB_TRY(library.find("curl_multi_wakeup", curl.multi_wakeup));
  PB_TRY(library.find("curl_multi_info_read", curl.multi_info_read));
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return {Code::unavailable, "libcurl cannot be used"};
  return {};
}

}  // namespace

Result<const CurlFunctions*> load_curl() {
  static std::mutex mutex;
  static CurlFunctions curl{};  // guarded by mutex until it is loaded
  static bool is_loaded = false;
  const std::lock_guard lock(mutex);
  if (!is_loaded) PB_TRY(load_into(curl));
  is_loaded = true;
  return &curl;
}

}  // namespace patchbay::lib
