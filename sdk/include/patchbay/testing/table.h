/* The fake host as a C table, so that a test links it whatever its compiler and standard library.
 * fake_host.h is the C++ layer that tests use.
 *
 * libpatchbay-testing.so is the core's own bus, store, services, JSON and strands, without a server and
 * without a configuration file. Clocks, timers and media ticks move only when the test says so. What a plugin
 * does is recorded, and what breaks the rules of the boundary is told as a problem.
 *
 * Threads: the functions of pb_testing belong to one thread at a time, the test's; no strand may call them.
 * Maturity: experimental; unlike abi/, it may change between minor versions. */
#ifndef PATCHBAY_TESTING_TABLE_H
#define PATCHBAY_TESTING_TABLE_H

#include "../abi.h"

/* Clocks, timers and media loops run by themselves. */
#define PB_TESTING_REAL_TIME 1u
/* Log lines go to standard error as well. */
#define PB_TESTING_ECHO 2u

typedef struct pb_testing_options {
  uint32_t size;
  uint32_t flags;   /* PB_TESTING_* */
  int64_t wall_ms;  /* where the wall clock of the test begins; 0: 2023-11-14T22:13:20Z */
  int64_t wait_ms;  /* the longest wait of any function here, in real time; 0: 10000 */
  int64_t stall_ms; /* a task that holds a strand for longer is a problem; 0: 5000 */
  pb_str folder;    /* for the store and the plugins' files; empty: a temporary one, removed in the end */
  pb_str log_level; /* the lowest that plugins are asked to write: "debug" (also when empty), "info" ... */
} pb_testing_options;

/* The steps of a plugin's life, each one function of pb_plugin. */
#define PB_STEP_CREATE 0u
#define PB_STEP_START 1u
#define PB_STEP_CHECK_CONFIG 2u
#define PB_STEP_RECONFIGURE 3u
#define PB_STEP_DRAIN 4u
#define PB_STEP_STOP 5u
#define PB_STEP_DESTROY 6u

/* A plugin's configuration as JSON, checked against its manifest before the plugin sees it. */
typedef struct pb_testing_config {
  uint32_t size;
  uint32_t reserved;
  pb_str plugin;  /* its section under `plugins`; empty: {} */
  pb_str tenants; /* {"<host>":{"primary":true,"section":{},"WebPhone":{}}}; empty: one, localhost */
} pb_testing_config;

/* What was seen. All of it borrowed for the call that passes it. `plugin` is the id of who did it. */
typedef struct pb_recorded_event {
  uint32_t size;
  uint32_t reserved;
  pb_str plugin; /* empty: the store, after the commit that emitted it */
  const pb_event* event;
} pb_recorded_event;

typedef struct pb_recorded_line {
  uint32_t size;
  uint32_t level; /* PB_LOG_* */
  pb_str plugin;
  pb_str correlation;
  pb_str text; /* as a log would show it: secrets redacted */
  const pb_pair* fields;
  uint32_t count;
  uint32_t reserved;
} pb_recorded_line;

typedef struct pb_recorded_port {
  uint32_t size;
  uint32_t pull_rate_hz;
  uint32_t push_rate_hz;
  uint32_t reserved;
  uint64_t handle;
  pb_str plugin;
} pb_recorded_port;

typedef struct pb_recorded_problem {
  uint32_t size;
  uint32_t reserved;
  pb_str name; /* "media-thread", "dead-handle", "left-behind", "answered-twice", "thrown", "stalled" */
  pb_str plugin;
  pb_str text; /* one sentence, which names the function */
} pb_recorded_problem;

typedef struct pb_testing_host pb_testing_host;

typedef struct pb_testing {
  uint32_t size;
  uint32_t reserved;

  /* NULL, and why. */
  pb_testing_host* (*create)(const pb_testing_options* options, pb_err* err)PB_NOEXCEPT;
  /* Plugins that are not destroyed yet are stopped and destroyed. */
  void (*destroy)(pb_testing_host* host) PB_NOEXCEPT;
  /* The host as the test itself sees it, as if it were a plugin called "test". */
  const pb_host* (*client)(pb_testing_host* host)PB_NOEXCEPT;

  /* A plugin by its file or its entry; 0, and why. Nothing of it has run. */
  uint64_t (*load)(pb_testing_host* host, pb_str file, pb_err* err) PB_NOEXCEPT;
  uint64_t (*link)(pb_testing_host* host, const pb_entry* entry, pb_err* err) PB_NOEXCEPT;
  /* JSON; lives as long as the host. */
  pb_str (*manifest)(pb_testing_host* host, uint64_t plugin) PB_NOEXCEPT;
  /* Begins a step; `config` for start, check_config and reconfigure. PB_E_INVALID: the manifest's schemas
   * refuse it. PB_E_MISUSE: the plugin is in another part of its life, or the step before is not answered. */
  int32_t (*begin)(pb_testing_host* host, uint64_t plugin, uint32_t step, const pb_testing_config* config,
                   pb_err* err) PB_NOEXCEPT;
  /* Waits for the step's answer, at most `wait_ms` of real time (negative: as long as the options allow). 1
   * and *status; 0: none yet, ask again. */
  int32_t (*answer)(pb_testing_host* host, uint64_t plugin, int64_t wait_ms, int32_t* status,
                    pb_err* err) PB_NOEXCEPT;

  /* Waits until nothing is queued or running on strands, workers and in the store. PB_E_TIMEOUT. */
  int32_t (*settle)(pb_testing_host* host, pb_err* err) PB_NOEXCEPT;
  /* Moves both clocks, stopping and settling at each timer and media tick on the way. */
  int32_t (*advance)(pb_testing_host* host, int64_t ms, pb_err* err) PB_NOEXCEPT;
  /* Sets the wall clock alone, as an operator would. */
  int32_t (*set_wall)(pb_testing_host* host, int64_t wall_ms, pb_err* err) PB_NOEXCEPT;
  /* Runs fn(user) on the media loop's thread, between two ticks, and waits. */
  int32_t (*on_media)(pb_testing_host* host, pb_fn fn, void* user) PB_NOEXCEPT;

  /* One statement on the store's file, beside the core; any table. Settle first. fn once, before it returns.
   */
  void (*sql)(pb_testing_host* host, pb_str statement, const pb_value* values, uint32_t count, pb_rows_fn fn,
              void* user) PB_NOEXCEPT;

  /* What was seen so far, from the from-th on, in order; each returns where to go on. */
  uint64_t (*events)(pb_testing_host* host, uint64_t from,
                     void (*sink)(void*, const pb_recorded_event*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
  uint64_t (*lines)(pb_testing_host* host, uint64_t from,
                    void (*sink)(void*, const pb_recorded_line*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
  uint64_t (*ports)(pb_testing_host* host, uint64_t from,
                    void (*sink)(void*, const pb_recorded_port*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
  uint64_t (*problems)(pb_testing_host* host, uint64_t from,
                       void (*sink)(void*, const pb_recorded_problem*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
} pb_testing;

/* The one symbol of the library. */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const pb_testing patchbay_testing_v1;

#endif
