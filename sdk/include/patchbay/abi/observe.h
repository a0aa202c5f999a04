/* Logs and metrics. */
#ifndef PATCHBAY_ABI_OBSERVE_H
#define PATCHBAY_ABI_OBSERVE_H

#include "base.h"

#define PB_OBSERVE_ID "patchbay.observe/1"

#define PB_LOG_DEBUG 0u
#define PB_LOG_INFO 1u
#define PB_LOG_WARN 2u
#define PB_LOG_ERROR 3u

#define PB_METRIC_COUNTER 0u
#define PB_METRIC_GAUGE 1u
#define PB_METRIC_HISTOGRAM 2u /* of seconds, 1 ms to 60 s */

/* A key and its value; frozen, so arrays of it are safe. */
typedef struct pb_pair {
  pb_str key;
  pb_str value;
} pb_pair;
PB_STATIC_ASSERT(sizeof(pb_pair) == 32, "frozen");

/* Lifetime: what is passed is borrowed for the call. A metric lives as long as the server.
 * Since: 0.1 */
typedef struct pb_observe {
  uint32_t size;
  uint32_t reserved;

  /* [any] One event, one line: the host escapes what a peer may have sent and redacts what it knows to be
   * secret. `correlation` ties the steps of one call together; may be empty. */
  void (*log)(void* host, uint32_t level, pb_str correlation, pb_str text, const pb_pair* fields,
              uint32_t count) PB_NOEXCEPT;
  /* [any] 1 when a line of that level would be written. */
  int32_t (*log_enabled)(void* host, uint32_t level) PB_NOEXCEPT;
  /* [any] From now on this value is redacted in the fields of every log line, also as it stands in URLs, JSON
   * and base64 (counted: as many forgets as adds). Ignored unless it looks random (patchbay/looks_random.h):
   * otherwise a tenant's "secret" could be a word that other tenants' lines need. */
  void (*secret_add)(void* host, pb_str value) PB_NOEXCEPT;
  /* [any] No longer, once it was forgotten as often as added. */
  void (*secret_forget)(void* host, pb_str value) PB_NOEXCEPT;

  /* [any] A series; the same name and labels give the same handle. Names are of the form
   * patchbay_<plugin>_<what>, with _ for every - of the plugin's id. */
  uint64_t (*metric)(void* host, uint32_t kind, pb_str name, pb_str help, const pb_pair* labels,
                     uint32_t count) PB_NOEXCEPT;
  /* [any] [media] Adds to a counter or gauge; observes in a histogram. */
  void (*metric_add)(void* host, uint64_t metric, double value) PB_NOEXCEPT;
  /* [any] [media] Sets a gauge. */
  void (*metric_set)(void* host, uint64_t metric, double value) PB_NOEXCEPT;

  /* [any] What the whole server looks like now, written into `sink` before return: "metrics" (Prometheus
   * text), "plugins" (JSON list: id, version, state, reason, provides), "ready" (JSON
   * {"ready":bool,"plugins":{id:state}}), "events" (JSON list: topic, plugin, summary, subject, schema). */
  int32_t (*report)(void* host, pb_str what, void (*sink)(void* user, pb_str text) PB_NOEXCEPT,
                    void* user) PB_NOEXCEPT;
} pb_observe;
#define PB_OBSERVE_FLOOR 72u /* of 0.1 */

#endif
