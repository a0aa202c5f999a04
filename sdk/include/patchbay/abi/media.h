/* Media loops and audio ports.
 *
 * A media loop is a thread that ticks every 20 ms by absolute deadlines; it is the only media clock. Between
 * two ticks it calls what is due: posts, timers, and the watchers of descriptors that are ready. A due tick
 * comes first, so each of these calls must be short (0.2 ms at most; a burst of datagrams in portions). A
 * port is one side of an audio stream. In each tick the bridge that joins two ports (of the plugin media,
 * through patchbay.audio) pulls a frame from each and pushes it to the other, on the loop's thread. The
 * memory of a frame belongs to the bridge and is valid for the call. */
#ifndef PATCHBAY_ABI_MEDIA_H
#define PATCHBAY_ABI_MEDIA_H

#include "base.h"

#define PB_MEDIA_ID "patchbay.media/1"

#define PB_TICK_MS 20

/* Signed 16-bit PCM, mono. 64 bytes, frozen. */
typedef struct pb_frame {
  uint32_t size;   /* 64 */
  uint32_t flags;  /* PB_FRAME_* */
  int64_t tick;    /* number of the tick */
  int64_t time_ns; /* deadline of the tick, monotonic clock */
  uint32_t rate_hz;
  uint32_t samples; /* valid samples in `pcm`; pull sets it, to at most `capacity` */
  uint32_t capacity;
  uint32_t reserved0;
  int16_t* pcm;
  uint64_t reserved[2];
} pb_frame;
PB_STATIC_ASSERT(sizeof(pb_frame) == 64, "frozen");

#define PB_FRAME_SILENCE 1u /* silence; a pushed `pcm` holds zeroes */

/* When push of a port may be called besides once per tick. */
/* At any time, any number of times: the port needs frames in order, but no playout clock. A peer that can
 * passes each frame when it has it (stream_to). */
#define PB_PORT_UNPACED 1u
/* Once before its tick: the port passes a frame on at once, so that speech after a silence need not wait for
 * the next tick. The peer then leaves out a later frame of silence. */
#define PB_PORT_EARLY 2u

/* [media] Takes 20 ms at the pull_rate_hz of the port that calls it. The frame is borrowed for the call. */
typedef void (*pb_frame_fn)(void* user, const pb_frame* frame) PB_NOEXCEPT;

/* One side of an audio stream, implemented by the plugin that creates the port.
 * Lifetime: owned by the plugin; must live until `done` of port_close. Frames are borrowed for the call.
 * Since: 0.1 */
typedef struct pb_port {
  uint32_t size;
  uint32_t pull_rate_hz; /* sample rate of pull; 0: pull is not used */
  uint32_t push_rate_hz; /* sample rate of push; 0: push is not used */
  uint32_t reserved;
  /* [media] The port was joined: calls from loop `loop` follow. */
  void (*attached)(void* self, uint32_t loop) PB_NOEXCEPT;
  /* [media] Fills out->pcm with 20 ms at pull_rate_hz, or sets PB_FRAME_SILENCE. */
  void (*pull)(void* self, pb_frame* out) PB_NOEXCEPT;
  /* [media] Receives 20 ms at push_rate_hz. */
  void (*push)(void* self, const pb_frame* in) PB_NOEXCEPT;
  /* [media] The join has ended: no pull or push follows. */
  void (*detached)(void* self) PB_NOEXCEPT;
  /* [media] May be NULL. After `attached`, if the other port has push_flags: from now on the port may
   * pass frames to sink(user, frame) on this loop's thread, until it is called with sink NULL, before
   * `detached`. Returns whether it will. Then, with PB_PORT_UNPACED, it passes all of its frames; pull is
   * still called in each tick, but its frame is ignored. With PB_PORT_EARLY it passes no more than one frame
   * between two pulls that return silence: what pull would return next. Since: 0.1 */
  int32_t (*stream_to)(void* self, uint32_t flags, pb_frame_fn sink, void* user) PB_NOEXCEPT;
  uint32_t push_flags; /* PB_PORT_*: when push may be called besides once per tick */
  uint32_t reserved1;
} pb_port;
#define PB_PORT_FLOOR 48u /* of 0.1 */

typedef struct pb_tick {
  uint32_t size;
  uint32_t loop;
  int64_t number;
  int64_t time_ns; /* the deadline, monotonic clock */
} pb_tick;

typedef void (*pb_tick_fn)(void* user, const pb_tick* tick) PB_NOEXCEPT;

#define PB_READY_READ 1u
#define PB_READY_WRITE 2u
#define PB_READY_ERROR 4u /* an error or hang-up; reported whether it is waited for or not */

/* A descriptor is ready. */
typedef struct pb_ready {
  uint32_t size;
  uint32_t events; /* PB_READY_* */
  uint32_t loop;
  int32_t fd;
  int64_t time_ns; /* monotonic clock */
} pb_ready;

typedef void (*pb_ready_fn)(void* user, const pb_ready* ready) PB_NOEXCEPT;

/* Lifetime: an attachment lasts until `done` of detach, a port until `done` of port_close, a watch and a
 * timer until `done` of their close; `user` and `self` must live as long, and a watched descriptor must stay
 * open as long. `user` of a post must live until it has run. A frame is borrowed for the call. Since: 0.1 */
typedef struct pb_media {
  uint32_t size;
  uint32_t loops; /* number of media loops */

  /* [any] Calls fn(user, tick) [media] in each tick of that loop, or of the least busy one (PB_LOOP_ANY). */
  uint64_t (*attach)(void* host, uint32_t loop, pb_tick_fn fn, void* user) PB_NOEXCEPT;
  /* [any] [media] Ends an attachment; calls done(user) on the loop's thread after the last tick. */
  void (*detach)(void* host, uint64_t attachment, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] Registers a port; its handle may be passed to other plugins. */
  uint64_t (*port_create)(void* host, const pb_port* port, void* self) PB_NOEXCEPT;
  /* [any] Refuses further opens; calls done(user) on the main strand once no opening is left. */
  void (*port_close)(void* host, uint64_t port, pb_fn done, void* user) PB_NOEXCEPT;
  /* [any] Opens a port in order to join it: *table and *self are valid until the returned opening is
   * released. 0 when the port is closed. */
  uint64_t (*port_open)(void* host, uint64_t port, const pb_port** table, void** self) PB_NOEXCEPT;
  /* [any] Releases an opening; its table and self must not be used after that. */
  void (*port_release)(void* host, uint64_t opening) PB_NOEXCEPT;

  /* [any] [media] Runs fn(user) [media] on that loop, soon, in the order of posting. Never blocks.
   * PB_E_NOT_FOUND: no such loop (PB_LOOP_ANY is none). PB_E_EXHAUSTED: too many posts wait. */
  int32_t (*loop_post)(void* host, uint32_t loop, pb_fn fn, void* user) PB_NOEXCEPT;

  /* [any] Makes a watch of a descriptor of the plugin, which is on no loop until watch_set(): fn(user, ready)
   * [media] is called while the descriptor is ready (level-triggered), once per turn of the loop; what it
   * leaves unread it is called for again. 0: too many are open. */
  uint64_t (*watch_open)(void* host, int32_t fd, pb_ready_fn fn, void* user) PB_NOEXCEPT;
  /* [any] [media] Only on a media loop: that loop waits for `events` (PB_READY_READ, _WRITE) from now on; 0:
   * for nothing, and the watch may be set on another loop once its call has returned. PB_E_MISUSE: called
   * elsewhere. PB_E_CONFLICT: it is set on another loop, or another watch has the descriptor. PB_E_GONE: it
   * was closed. PB_E_INVALID: the descriptor is closed, or a file. */
  int32_t (*watch_set)(void* host, uint64_t watch, uint32_t events) PB_NOEXCEPT;
  /* [any] [media] Ends a watch; calls done(user) after its last call, on the loop's thread if it is set on
   * one, else before this returns. On that thread no call follows. */
  void (*watch_close)(void* host, uint64_t watch, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] Makes a timer for media loops, which is on none until loop_timer_set(). 0: too many are open. */
  uint64_t (*loop_timer_open)(void* host, pb_tick_fn fn, void* user) PB_NOEXCEPT;
  /* [any] [media] Only on a media loop: fn(user, tick) [media] is called there once, at `due_ns` of the
   * monotonic clock rounded up to a millisecond, instead of what was set before; 0: not at all. tick->number
   * is that of the latest tick, tick->time_ns the time. PB_E_MISUSE, _CONFLICT, _GONE: as watch_set(). */
  int32_t (*loop_timer_set)(void* host, uint64_t timer, int64_t due_ns) PB_NOEXCEPT;
  /* [any] [media] Ends a timer, like watch_close(). */
  void (*loop_timer_close)(void* host, uint64_t timer, pb_fn done, void* user) PB_NOEXCEPT;
} pb_media;
#define PB_MEDIA_FLOOR 56u /* of 0.1 */
#define PB_LOOP_ANY 0xffffffffu

#endif
