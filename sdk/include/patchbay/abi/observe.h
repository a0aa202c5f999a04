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

/* Lifetime: arguments are borrowed for the call. A metric lives as long as the server.
 * Since: 0.1 */
typedef struct pb_observe {
  uint32_t size;
  uint32_t reserved;

  /* [any] Writes one log line. The host escapes control characters and redacts known secrets. `correlation`
   * connects the lines about one call; may be empty. */
  void (*log)(void* host, uint32_t level, pb_str correlation, pb_str text, const pb_pair* fields,
              uint32_t count) PB_NOEXCEPT;
  /* [any] 1 if a line of that level would be written. */
  int32_t (*log_enabled)(void* host, uint32_t level) PB_NOEXCEPT;
  /* [any] Redacts this value in the fields of all log lines from now on, also in its URL, JSON and base64
   * forms. Counted: needs as many forgets as adds. Ignored unless the value looks random
   * (patchbay/looks_random.h), otherwise a tenant's "secret" could be a word that other tenants' lines need.
   */
  void (*secret_add)(void* host, pb_str value) PB_NOEXCEPT;
  /* [any] Stops redacting the value, once it was forgotten as often as added. */
  void (*secret_forget)(void* host, pb_str value) PB_NOEXCEPT;

  /* [any] Registers a series; the same name and labels give the same handle. Names have the form
   * patchbay_<plugin>_<name>, with _ for every - of the plugin's id. */
  uint64_t (*metric)(void* host, uint32_t kind, pb_str name, pb_str help, const pb_pair* labels,
                     uint32_t count) PB_NOEXCEPT;
  /* [any] [media] Adds to a counter or gauge; records a value in a histogram. */
  void (*metric_add)(void* host, uint64_t metric, double value) PB_NOEXCEPT;
  /* [any] [media] Sets a gauge. */
  void (*metric_set)(void* host, uint64_t metric, double value) PB_NOEXCEPT;

  /* [any] Reports to `sink` at once: "metrics" (Prometheus), "caller" (the calling plugin), as JSON "plugins"
   * [{id,version,state,reason,provides}], "ready" {ready,plugins:{id:state}}, "events" [{topic,plugin,
   * summary,subject,schema}], "load" {cpuNs,cores,ticks,lateTicks,waitNs,runs}, "node" {node,epoch,shared}.*/
  int32_t (*report)(void* host, pb_str what, void (*sink)(void* user, pb_str text) PB_NOEXCEPT,
                    void* user) PB_NOEXCEPT;
} pb_observe;
#define PB_OBSERVE_FLOOR 72u /* of 0.1 */

#endif
