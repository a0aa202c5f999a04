#include "core_metrics.h"

#include <string>

#include "abi/media_registry.h"
#include "bus/bus.h"
#include "observe/exposition.h"
#include "runtime/process_times.h"
#include "runtime/runtime.h"
#include "runtime/usable_cores.h"
#include "services/service_registry.h"

namespace patchbay::core {

void CoreMetrics::add_to(observe::Exposition& out) const {
  out.gauge("patchbay_core_uptime_seconds", "Time since the core was created",
            static_cast<double>(runtime.mono_clock().now_ns() - begun_ns) / 1e9);
  out.counter("patchbay_core_cpu_seconds_total",
              "Processor time of the server and the processes of its isolated plugins",
              static_cast<double>(process_times.used_ns()) / 1e9);
  out.gauge("patchbay_core_usable_cores", "Processors that the server may run on, or its quota of them",
            usable_cores());
  add_threads(out);
  add_plugins(out);
  add_media(out);
}

void CoreMetrics::add_threads(observe::Exposition& out) const {
  const Executor::Stats strands = runtime.executor().stats();
  out.gauge("patchbay_core_strands_busy", "Strands that have something queued or running", strands.busy);
  out.gauge("patchbay_core_strands_waiting", "Strands that wait for a thread", strands.waiting);
  out.gauge("patchbay_core_executor_threads", "Threads that run strands, including spares for stalled ones",
            runtime.executor().threads_alive());
  const WorkerPool::Stats workers = runtime.workers().stats();
  out.gauge("patchbay_core_worker_jobs_waiting", "Jobs that wait for a worker",
            static_cast<double>(workers.waiting));
  out.gauge("patchbay_core_worker_jobs_running", "Workers that run a job", workers.running);
  out.gauge("patchbay_core_timers", "Timers that are armed", static_cast<double>(runtime.timers().size()));
}

void CoreMetrics::add_plugins(observe::Exposition& out) const {
  for (const auto& owner : runtime.executor().owner_stats()) {
    const observe::Labels plugin{{"plugin", owner.owner}};
    out.gauge("patchbay_core_stalled_threads", "Threads blocked by callbacks that were given up on",
              owner.stalled, plugin);
    out.counter("patchbay_core_stalls_total", "Callbacks that blocked their strand for too long",
                static_cast<double>(owner.stalls), plugin);
    out.gauge("patchbay_core_posts_waiting", "Calls that wait on the plugin's strands",
              static_cast<double>(owner.waiting), plugin);
    out.counter("patchbay_core_posts_refused_total",
                "Calls that were not queued, as too many of the plugin's wait",
                static_cast<double>(owner.refused), plugin);
  }
  for (const auto& [plugin, waiting] : services.waiting())
    out.gauge("patchbay_core_calls_waiting", "Service calls that wait for the plugin's answer",
              static_cast<double>(waiting), {{"plugin", plugin}});
  for (const auto& [plugin, stats] : bus.owner_stats()) {
    const observe::Labels label{{"plugin", plugin}};
    out.counter("patchbay_core_events_dropped_total", "Events lost because the plugin's queues were full",
                static_cast<double>(stats.dropped), label);
    out.gauge("patchbay_core_events_waiting", "Events that wait for the plugin",
              static_cast<double>(stats.queued), label);
  }
}

void CoreMetrics::add_media(observe::Exposition& out) const {
  for (uint32_t loop = 0; loop < media.loops(); ++loop) {
    const observe::Labels label{{"loop", std::to_string(loop)}};
    const MediaLoopStats stats = media.pool().at(loop).stats();
    out.counter("patchbay_media_ticks_total", "Ticks of the media loop", static_cast<double>(stats.ticks),
                label);
    out.counter("patchbay_media_ticks_late_total", "Ticks that began one step late or more",
                static_cast<double>(stats.late), label);
    out.counter("patchbay_media_ticks_skipped_total", "Ticks that never ran because too many were due",
                static_cast<double>(stats.skipped), label);
    out.gauge("patchbay_media_tick_max_late_seconds", "Worst delay of a tick's start",
              static_cast<double>(stats.max_late_ns) / 1e9, label);
    out.counter("patchbay_media_busy_seconds_total",
                "Time spent in ticks, and in posts, timers and descriptors between them",
                static_cast<double>(stats.busy_ns) / 1e9, label);
    out.gauge("patchbay_media_attached", "Callbacks that the media loop runs in each tick",
              static_cast<double>(stats.attached), label);
    out.gauge("patchbay_media_loop_ports", "Audio ports that the media loop pulls from and pushes to",
              static_cast<double>(media.ports_on(loop)), label);
  }
  out.gauge("patchbay_media_ports", "Audio ports that plugins have open", static_cast<double>(media.ports()));
  out.counter("patchbay_media_stalls_total", "Ticks that ran longer than the watchdog allows",
              static_cast<double>(media.pool().stalls()));
  out.gauge("patchbay_media_stalled_loops", "Media loops that are stuck in such a tick",
            media.pool().stalled());
}

}  // namespace patchbay::core
