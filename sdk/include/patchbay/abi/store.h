/* The store: transactions as data, reads, the durable event log, jobs, sealing.
 *
 * A plugin's SQL travels with it (pb_entry.store): sections `-- migration: N` and `-- name: <statement>`, for
 * SQLite and PostgreSQL alike; parameters $1..$n; {{BYTES}}, {{ID}} (a 63-bit key) and {{NOW_MS}} are
 * replaced per dialect. Its tables carry its prefix ("sip_trunk_"), and its statements touch no others.
 *
 * A transaction is a list of operations. It is built by one plugin, may be handed by its handle to a service
 * of another plugin that adds operations of its own, and is executed whole on the writer. When an expectation
 * is not met everything is rolled back, and the error names the operation. A commit that was acknowledged is
 * on disk. */
#ifndef PATCHBAY_ABI_STORE_H
#define PATCHBAY_ABI_STORE_H

#include "base.h"
#include "bus.h"

#define PB_STORE_ID "patchbay.store/1"

#define PB_VALUE_NULL 0u
#define PB_VALUE_INT 1u
#define PB_VALUE_REAL 2u
#define PB_VALUE_TEXT 3u
#define PB_VALUE_BYTES 4u

#define PB_ANY_CHANGES (-1)

/* Frozen, so arrays of it are safe. */
typedef struct pb_value {
  uint32_t kind; /* PB_VALUE_* */
  uint32_t reserved;
  int64_t integer;
  double real;
  pb_str bytes; /* of text and bytes */
} pb_value;
PB_STATIC_ASSERT(sizeof(pb_value) == 40, "frozen");

/* Rows of a query, or of a RETURNING clause; row-major. Borrowed for the callback. */
typedef struct pb_rows {
  uint32_t size;
  uint32_t columns;
  uint64_t rows;
  const pb_value* cells;
} pb_rows;

/* Outcome of a commit. Borrowed for the callback. */
typedef struct pb_commit {
  uint32_t size;
  int32_t status;                  /* PB_OK, PB_E_CONFLICT, PB_E_FENCED, PB_E_UNAVAILABLE ... */
  int32_t failed_operation;        /* index of the operation that ended it; -1 */
  uint32_t savepoints;             /* number of groups opened by savepoint() */
  const int32_t* savepoint_status; /* PB_OK, or why the group was rolled back */
  uint32_t result_count;           /* one per exec(), in order; NULL where nothing was returned */
  uint32_t reserved;
  const pb_rows* const* results;
  pb_str text; /* why, when status is not PB_OK */
} pb_commit;

typedef void (*pb_rows_fn)(void* user, int32_t status, const pb_rows* rows, const pb_err* err) PB_NOEXCEPT;
typedef void (*pb_commit_fn)(void* user, const pb_commit* outcome) PB_NOEXCEPT;

/* A durable consumer's pending event, or a claimed job. Borrowed for the callback. */
typedef struct pb_job {
  uint32_t size;
  uint32_t tries; /* how often it was claimed, this time included: 1 the first time */
  int64_t id;
  int64_t fence; /* show it when completing */
  int64_t due_ms;
  pb_str kind;
  pb_str tenant;
  pb_str key; /* empty: it was added without one, and stands beside others of its kind */
  pb_str body;
} pb_job;

typedef void (*pb_job_fn)(void* user, const pb_job* job) PB_NOEXCEPT;
typedef void (*pb_events_fn)(void* user, int32_t status, const pb_event* const* events,
                             uint32_t count) PB_NOEXCEPT;

/* Lifetime: what is passed is borrowed for the call, what a callback gets for the callback. A transaction
 * lives until commit or discard, a registration until `done` of its close; `user` as long.
 * Since: 0.1 */
typedef struct pb_store {
  uint32_t size;
  uint32_t reserved;

  /* [any] The statement of that name in the plugin's SQL; 0 when there is none. */
  uint64_t (*statement)(void* host, pb_str name) PB_NOEXCEPT;
  /* [any] Reads; rows come on the strand. */
  void (*query)(void* host, uint64_t statement, const pb_value* values, uint32_t count, uint64_t strand,
                pb_rows_fn fn, void* user) PB_NOEXCEPT;

  /* [any] A new, empty transaction; ends with commit or discard: operations return PB_E_GONE after that. 0
   * when the plugin has 16384 open. It holds 32 MiB at most; an operation that is refused (PB_E_EXHAUSTED,
   * PB_E_DENIED) refuses the commit as well. */
  uint64_t (*begin)(void* host) PB_NOEXCEPT;
  /* [any] A statement; the commit fails unless it changes so many rows (PB_ANY_CHANGES: any number). */
  int32_t (*exec)(void* host, uint64_t tx, uint64_t statement, const pb_value* values, uint32_t count,
                  int64_t expected_changes) PB_NOEXCEPT;
  /* [any] What stands between savepoint and release may fail alone. Groups do not nest. */
  int32_t (*savepoint)(void* host, uint64_t tx) PB_NOEXCEPT;
  /* [any] The end of the group. */
  int32_t (*release)(void* host, uint64_t tx) PB_NOEXCEPT;
  /* [any] A durable event; the host sets id and time. `unique_key`, when not empty, lets one event of that
   * key exist while the log keeps it (30 days, longer while pending). Topics that begin with "core." are
   * refused with PB_E_DENIED; one that is no topic (bus.h) fails the commit with PB_E_INVALID. */
  int32_t (*emit)(void* host, uint64_t tx, const pb_event* event, pb_str unique_key) PB_NOEXCEPT;
  /* [any] A job of the plugin's kind: kinds are the plugin's own, so two plugins may use the same word. A job
   * of the same kind and key is replaced, and whoever works on it fails to complete it. With an empty key
   * nothing is replaced, and job_cancel cannot name the job. */
  int32_t (*job_add)(void* host, uint64_t tx, pb_str kind, pb_str tenant, pb_str key, int64_t due_ms,
                     pb_str body) PB_NOEXCEPT;
  /* [any] The claimed job is done; the commit fails with PB_E_FENCED when it was claimed anew or replaced
   * meanwhile, or is not the plugin's. */
  int32_t (*job_done)(void* host, uint64_t tx, int64_t job, int64_t fence) PB_NOEXCEPT;
  /* [any] The claimed job is due again at `due_ms`; the commit fails as with job_done. */
  int32_t (*job_retry)(void* host, uint64_t tx, int64_t job, int64_t fence, int64_t due_ms) PB_NOEXCEPT;
  /* [any] Jobs of that kind and key are forgotten. */
  int32_t (*job_cancel)(void* host, uint64_t tx, pb_str kind, pb_str key) PB_NOEXCEPT;
  /* [any] A consumer's pending event has been dealt with. */
  int32_t (*ack)(void* host, uint64_t tx, pb_str consumer, int64_t event_id) PB_NOEXCEPT;
  /* [any] Executes; fn on the strand once it is on disk or refused. The handle is dead on return. */
  void (*commit)(void* host, uint64_t tx, uint64_t strand, pb_commit_fn fn, void* user) PB_NOEXCEPT;
  /* [any] Nothing of it happens; the handle is dead on return. */
  void (*discard)(void* host, uint64_t tx) PB_NOEXCEPT;

  /* [any] Works on due jobs of a kind, at most `concurrency` claimed and not completed; fn on the strand. A
   * job that is not completed within `lease_ms` is claimed again, by any worker of that kind, with another
   * fence and one more try; so it is at once after a restart of the server. There is no limit of tries: give
   * up with job_done. `lease_ms` is kept between a second and a day. */
  uint64_t (*job_worker)(void* host, pb_str kind, uint32_t concurrency, int64_t lease_ms, uint64_t strand,
                         pb_job_fn fn, void* user) PB_NOEXCEPT;
  /* [any] Close as in base.h. What it had claimed is claimed again after its lease. */
  void (*job_worker_close)(void* host, uint64_t worker, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] A durable consumer: from its first registration on, every emitted event that matches one of the
   * patterns (separated by spaces) has a pending row for it. `wake` is called on the strand when there may be
   * new ones, first when it is registered. A store that cannot register it now is asked again, with a warning
   * in the log. A consumer that is not registered for 30 days is forgotten with what is pending for it. */
  uint64_t (*consumer)(void* host, pb_str name, pb_str patterns, uint64_t strand, pb_fn wake, void* user,
                       pb_err* err) PB_NOEXCEPT;
  /* [any] Close as in base.h. Its pending events stay, and gather. */
  void (*consumer_close)(void* host, uint64_t consumer, pb_fn done, void* user) PB_NOEXCEPT;
  /* [any] The consumer's oldest pending events, at most `limit`; fewer also when they are large. */
  void (*pending)(void* host, uint64_t consumer, uint32_t limit, uint64_t strand, pb_events_fn fn,
                  void* user) PB_NOEXCEPT;

  /* [any] This process's turn of owning rows: greater than every earlier one. */
  int64_t (*epoch)(void* host) PB_NOEXCEPT;
  /* [any] Encrypts under the key file; `context` must be given again to unseal. NULL when it fails. Release
   * it. */
  pb_buf* (*seal)(void* host, pb_str plain, pb_str context)PB_NOEXCEPT;
  /* [any] What was sealed, in a buffer the caller releases; NULL when key, context or bytes do not fit. */
  pb_buf* (*unseal)(void* host, pb_str sealed, pb_str context)PB_NOEXCEPT;
  /* [any] The folder for the plugin's own files (exists); lives as long as the host. */
  pb_str (*data_folder)(void* host) PB_NOEXCEPT;
} pb_store;
#define PB_STORE_FLOOR 192u /* of 0.1 */

#endif
