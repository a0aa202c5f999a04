/* Types shared by all tables: strings, buffers, errors, status codes, thread tags. C11 and C++17.
 *
 * RULES OF THE BOUNDARY
 *  - A table or struct starts with its size in bytes. It grows only by appending. The side that fills a
 *    struct owns it and writes the size; the side that reads a member first checks that the size covers it
 *    (PB_HAS).
 *  - Query the host for the floor size of an interface (PB_..._FLOOR), never for sizeof: then an older host
 *    fails only if it lacks a function that the plugin needs.
 *  - No function throws, and no function frees what the other side allocated.
 *  - Every function names the thread it may be called on, or is called on:
 *      [any]     any thread except a media loop
 *      [strand]  the strand named in the comment; one call at a time, not always the same system thread
 *      [media]   a media loop: no allocation, lock, log, JSON, file; a stream is never on two threads at once
 *      [worker]  a worker thread: may block
 *  - A handle is a uint64_t; 0 is never a handle. Using a closed handle returns PB_E_GONE and has no effect.
 *  - Registrations (subscriptions, timers, provisions, strands ...) are closed asynchronously. A close on the
 *    registration's strand lets no callback start afterwards; a close on another thread lets none start after
 *    `done`. `done` is called once, on that strand, when no callback is queued or running.
 *
 * Maturity of everything here: experimental until 1.0. */
#ifndef PATCHBAY_ABI_BASE_H
#define PATCHBAY_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PB_NOEXCEPT noexcept
#define PB_EXTERN_C extern "C"
#define PB_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define PB_NOEXCEPT
#define PB_EXTERN_C extern
#define PB_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* True if the table `t` (a pointer) is long enough to have `member`, and the member is not NULL. */
#define PB_HAS(t, member) ((t) != NULL && (t)->size >= PB_END_OF_((t), member) && (t)->member != NULL)
#define PB_END_OF_(t, member) ((uint32_t)((const char*)(&(t)->member + 1) - (const char*)(t)))

/* Status codes; the explanation is in pb_err. Values never change. */
#define PB_OK 0
#define PB_E_FAILED (-1)
#define PB_E_INVALID (-2)
#define PB_E_NOT_FOUND (-3)
#define PB_E_CONFLICT (-4)
#define PB_E_UNAVAILABLE (-5)
#define PB_E_TIMEOUT (-6)
#define PB_E_CANCELLED (-7)
#define PB_E_DENIED (-8)
#define PB_E_EXHAUSTED (-9)
#define PB_E_FENCED (-10)
#define PB_E_MISUSE (-11)
#define PB_E_UNSUPPORTED (-12)
#define PB_E_GONE (-13)

/* UTF-8 bytes, not NUL-terminated, borrowed for the duration of the call. Frozen. */
typedef struct pb_str {
  const char* data;
  uint64_t len;
} pb_str;

/* An error with a text. Owned by the caller, which sets `size`; the callee truncates `text` to fit. Every
 * pb_err* parameter may be NULL. */
typedef struct pb_err {
  uint32_t size;
  int32_t code;
  char text[256]; /* NUL-terminated */
} pb_err;

typedef struct pb_buf pb_buf;
/* Reference counting of a buffer, implemented by the side that allocated it.
 * Lifetime: static. A pb_buf* in an argument is borrowed: retain it to keep it.
 * Since: 0.1 */
typedef struct pb_buf_ops {
  uint32_t size;
  uint32_t reserved;
  /* [any] [media] Adds a reference. */
  void (*retain)(pb_buf* buf) PB_NOEXCEPT;
  /* [any] [media] Drops a reference; dropping the last one frees the buffer. */
  void (*release)(pb_buf* buf) PB_NOEXCEPT;
  /* [any] [media] 1 if there is only one reference. */
  int32_t (*unique)(const pb_buf* buf) PB_NOEXCEPT;
} pb_buf_ops;
/* Reference-counted bytes; `ops` manages the count. Writable only while unique. Frozen at 24 bytes. */
struct pb_buf {
  const pb_buf_ops* ops;
  uint8_t* data;
  uint32_t len;
  uint32_t cap;
};

/* A callback with its argument; `user` is owned by the side that registered it. */
typedef void (*pb_fn)(void* user) PB_NOEXCEPT;

PB_STATIC_ASSERT(sizeof(void*) == 8, "64-bit platforms only");
PB_STATIC_ASSERT(sizeof(pb_str) == 16, "frozen");
PB_STATIC_ASSERT(sizeof(pb_err) == 264, "frozen prefix");
PB_STATIC_ASSERT(sizeof(pb_buf) == 24, "frozen");

#endif
