/* Strands, workers, timers, clocks, and the plugin's id. */
#ifndef PATCHBAY_ABI_RUNTIME_H
#define PATCHBAY_ABI_RUNTIME_H

#include "base.h"

#define PB_RUNTIME_ID "patchbay.runtime/1"

#define PB_CLOCK_MONO 0u /* nanoseconds since an arbitrary start; never jumps */
#define PB_CLOCK_WALL 1u /* milliseconds since 1970-01-01T00:00:00Z; may jump */

#define PB_THREAD_OTHER 0u
#define PB_THREAD_STRAND 1u
#define PB_THREAD_WORKER 2u
#define PB_THREAD_MEDIA 3u

/* Lifetime: `user` of a post must live until it has run, that of a timer until `done` of timer_close; names
 * are borrowed for the call.
 * Since: 0.1 */
typedef struct pb_runtime {
  uint32_t size;
  uint32_t reserved;

  /* [any] Creates a strand, which runs posted tasks in order, one at a time. `name` appears in logs. */
  uint64_t (*strand_create)(void* host, pb_str name) PB_NOEXCEPT;
  /* [any] [media] Runs fn(user) on the strand (0: main). Never blocks. PB_E_GONE: closed. PB_E_EXHAUSTED: its
   * queue is full. */
  int32_t (*strand_post)(void* host, uint64_t strand, pb_fn fn, void* user) PB_NOEXCEPT;
  /* [any] Refuses new posts, runs queued tasks, then done(user) as the last one. The main strand cannot be
   * closed. */
  void (*strand_close)(void* host, uint64_t strand, pb_fn done, void* user) PB_NOEXCEPT;
  /* [any] 1 if the caller runs on that strand. */
  int32_t (*strand_is_current)(void* host, uint64_t strand) PB_NOEXCEPT;

  /* [any] Runs fn(user) on a worker thread, where it may block for a while (files, DNS, password hashes).
   * PB_E_EXHAUSTED when its queue is full. */
  int32_t (*worker_post)(void* host, pb_fn fn, void* user) PB_NOEXCEPT;

  /* [any] Starts a one-shot timer: fn(user) on the strand once the clock has reached `due` (unit:
   * PB_CLOCK_*). */
  uint64_t (*timer_start)(void* host, uint64_t strand, uint32_t clock, int64_t due, pb_fn fn,
                          void* user) PB_NOEXCEPT;
  /* [any] Close as in base.h; needed for timers that have fired, too. `done` may be NULL. */
  void (*timer_close)(void* host, uint64_t timer, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] [media] The time of that clock, in its unit. */
  int64_t (*now)(void* host, uint32_t clock) PB_NOEXCEPT;
  /* [any] [media] PB_THREAD_* of the caller. */
  uint32_t (*thread_kind)(void* host) PB_NOEXCEPT;
  /* [any] The plugin's id as configured; lives as long as the host. */
  pb_str (*plugin_id)(void* host) PB_NOEXCEPT;

  /* [any] Like strand_post, for threads of the plugin that serve requests: if the strand is idle, the calling
   * thread runs fn(user) on it before this returns, and then the strands that this makes ready, so that a
   * request whose calls are answered at once needs no other thread. It may also run queries of the store, and
   * tasks that others posted to these strands meanwhile, but never start, stop or destroy of a plugin.
   * Returns late, or never, if such a task hangs: have another thread serve the other requests then. On a
   * strand: as strand_post. */
  int32_t (*strand_run)(void* host, uint64_t strand, pb_fn fn, void* user) PB_NOEXCEPT;
} pb_runtime;
#define PB_RUNTIME_FLOOR 88u /* of 0.1 */

#endif
