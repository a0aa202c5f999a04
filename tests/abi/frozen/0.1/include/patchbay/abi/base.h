/* The words every table uses: strings, buffers, errors, status, thread tags. C11 and C++17.
 *
 * RULES OF THE BOUNDARY
 *  - A table or struct starts with its size in bytes. It grows only by appending. Whoever fills a struct owns
 * it and writes the size; whoever reads a member first checks that the size covers it (PB_HAS).
 *  - Ask the host for the floor size of an interface (PB_..._FLOOR), never for sizeof: an older host is then
 * refused only if it lacks what you cannot do without.
 *  - No function throws, and no function frees what the other side allocated.
 *  - Every function names the thread it may be called on, or is called on:
 *      [any]     any thread except a media loop
 *      [strand]  the strand named in the comment; one call at a time, not always the same system thread
 *      [media]   a media loop: no allocation, lock, log, JSON, file; one stream is never on two threads
 *      [worker]  a worker thread: may block
 *  - A handle is a uint64_t; 0 is never a handle. Using a dead handle returns PB_E_GONE and harms nothing.
 *  - Registrations (subscriptions, timers, provisions, strands ...) end with an asynchronous close: when
 * close is called on the registration's own strand, no callback of it starts afterwards; elsewhere none
 * starts after `done` was called. `done` is called once, on that strand, when nothing of it is queued or
 * running. Maturity of everything here: experimental until 1.0. */
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

/* Whether the table `t` (a pointer) is long enough to hold `member`, and the member is filled. */
#define PB_HAS(t, member) ((t) != NULL && (t)->size >= PB_END_OF_((t), member) && (t)->member != NULL)
#define PB_END_OF_(t, member) ((uint32_t)((const char*)(&(t)->member + 1) - (const char*)(t)))

/* Status codes; the text beside them is in pb_err. Values never change. */
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

/* UTF-8 bytes, not terminated, borrowed for the duration of the call. Frozen. */
typedef struct pb_str {
  const char* data;
  uint64_t len;
} pb_str;

/* Where a callee says why. Owned by the caller, who sets `size`; the callee clips `text` to what fits. NULL
 * is allowed wherever a pb_err* is taken. */
typedef struct pb_err {
  uint32_t size;
  int32_t code;
  char text[256]; /* terminated */
} pb_err;

typedef struct pb_buf pb_buf;
/* How buffers are counted; supplied by whoever made the buffer.
 * Lifetime: static. A pb_buf* in an argument is borrowed: retain it to keep it.
 * Since: 0.1 */
typedef struct pb_buf_ops {
  uint32_t size;
  uint32_t reserved;
  /* [any] [media] One holder more. */
  void (*retain)(pb_buf* buf) PB_NOEXCEPT;
  /* [any] [media] One holder less; the last one frees it. */
  void (*release)(pb_buf* buf) PB_NOEXCEPT;
  /* [any] [media] 1 when nobody else holds it. */
  int32_t (*unique)(const pb_buf* buf) PB_NOEXCEPT;
} pb_buf_ops;
/* Bytes with a count, which lives behind `ops`. Writable only while unique. Frozen at 24 bytes. */
struct pb_buf {
  const pb_buf_ops* ops;
  uint8_t* data;
  uint32_t len;
  uint32_t cap;
};

/* A callback with its argument; `user` belongs to who registered it. */
typedef void (*pb_fn)(void* user) PB_NOEXCEPT;

PB_STATIC_ASSERT(sizeof(void*) == 8, "64-bit platforms only");
PB_STATIC_ASSERT(sizeof(pb_str) == 16, "frozen");
PB_STATIC_ASSERT(sizeof(pb_err) == 264, "frozen prefix");
PB_STATIC_ASSERT(sizeof(pb_buf) == 24, "frozen");

#endif
