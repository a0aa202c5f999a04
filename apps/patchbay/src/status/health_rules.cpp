#include "status/health_rules.h"

namespace patchbay::app {
namespace {

// Texts of `increase` avoid "just" and "now", because they are used for the interval and for the total.
constexpr HealthRule kRules[] = {
    // Media: callers hear these at once.
    {"patchbay_media_stalled_loops", Reading::now, 0,
     "# media loops are held by a plugin's port: their calls are silent",
     "the log names the plugin (`media loop`); restart the server, and run that plugin with `isolation: "
     "process`"},
    {"patchbay_media_ticks_skipped_total",
     Reading::per_second,
     0.1,
     "# ticks a second of a media loop were skipped: callers hear gaps",
     "the machine has too little CPU for its calls: stop what else runs there, or lower "
     "plugins.ai-voice.maxLoadPercent",
     {},
     "# ticks of a media loop were skipped: callers heard gaps"},
    {"patchbay_media_ticks_late_total", Reading::per_second, 5,
     "# ticks a second of a media loop were late by 20 ms or more",
     "see which process uses the CPU (top); no other process should use the server's cores"},
    {"patchbay_engine_audio_dropped_ms_total",
     Reading::per_second,
     20,
     "# ms a second of callers' speech were dropped because the engine took it too slowly",
     "check the network to the engine and its limits; lower plugins.ai-voice.maxLoadPercent when CPU is "
     "short",
     {},
     "# ms of callers' speech were dropped because the engine took it too slowly"},
    {"patchbay_engine_lag_seconds", Reading::now, 1, "the engine's I/O thread is # s behind",
     "lower plugins.ai-voice.maxLoadPercent; when CPU is free, the log says what holds the thread"},
    {"patchbay_engine_reconnects_total", Reading::increase, 0,
     "# connections to an engine were lost and made again",
     "check the network to the engine and its status page; the log has the reason per call"},
    {"patchbay_engine_unsaid_total", Reading::increase, 0,
     "# answers were not spoken because too many waited for the engine's voice",
     "more calls talk at once than the voice can: lower plugins.ai-voice.maxCalls, or give the machine more "
     "CPU"},
    {"patchbay_sip_trunk_rtp_lost_total", Reading::increase, 50,
     "# RTP packets of calls that ended were lost",
     "check the network to the trunk; `grep <callId>` in the log has the loss and jitter of each call"},
    {"patchbay_sip_trunk_rtp_refused_total", Reading::increase, 100,
     "# RTP packets of calls that ended came from addresses that are not the peer's",
     "another host sends to the RTP ports, or the trunk's NAT changes addresses: see the log, and filter at "
     "the "
     "firewall"},
    {"patchbay_sip_trunk_rtp_dropped_total", Reading::increase, 100,
     "# packets to the RTP ports of calls that ended were dropped by the kernel",
     "another host sends to the RTP ports, or the server is too slow: `grep <callId>` in the log has the "
     "figures of each call (`dropped`); filter at the firewall"},
    // Calls.
    {"patchbay_sip_trunk_byes_given_up_total", Reading::increase, 0,
     "# calls have ended here, and the trunk did not confirm it: they may still be up there, and billed",
     "the log names them (`did not confirm the end of a call`): have the carrier end them, and check the "
     "network to the trunk"},
    {"patchbay_sip_trunk_dialogs_left_behind_total", Reading::increase, 0,
     "# calls that a killed process left up were ended when sip-trunk started again",
     "find out what killed it (journalctl -u patchbay: out of memory, a crash, kill -9); the calls were "
     "billed "
     "until then"},
    {"patchbay_sip_trunk_names_unresolved", Reading::now, 0, "# names of trunks are not resolved",
     "the log names them (`a trunk's name is not resolved`): check the host in the tenant's trunks and this "
     "machine's DNS (getent hosts NAME); until then calls use the last known address"},
    {"patchbay_sip_trunk_failovers_total", Reading::increase, 0, "# calls went to the next trunk",
     "the log says per call why the first trunk failed (`sip-trunk`); check its credentials and address"},
    {"patchbay_sip_trunk_unfiltered", Reading::now, 0, "# SIP port is open to any address",
     "the log says why (`no peer filter`): configure fewer trunk addresses, or filter at the firewall"},
    {"patchbay_sip_trunk_requests_refused_total", Reading::increase, 0,
     "# SIP requests inside calls came from another address than the call's peer",
     "a carrier that signals from further addresses has to name them (Contact, Record-Route); otherwise "
     "another trunk interferes with the calls: filter it at the firewall",
     "foreign"},
    {"patchbay_sip_trunk_tcp_shut_total", Reading::increase, 0,
     "# SIP connections over TCP were ended because more than 64 were open",
     "a trunk's address opens too many connections: see which (ss -tn), and limit them at the firewall",
     "excess"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls had to wait or were refused because the server is at its processor limit",
     "it now uses $patchbay_ai_voice_load% % of its $patchbay_core_usable_cores cores, and "
     "plugins.ai-voice.maxLoadPercent is $patchbay_ai_voice_load_limit%: give it more cores (taskset, the "
     "quota of its control group), add a server, or raise that setting as long as no ticks are late",
     "load"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls had to wait or were refused because the server gets its processors too late",
     "its threads now wait $patchbay_ai_voice_core_wait_seconds ms for a processor each time, and "
     "$patchbay_ai_voice_late_ticks% % of the ticks are late; if it uses far less than its "
     "$patchbay_core_usable_cores cores (cpu above), other programs take them: see which (top), and keep "
     "them off "
     "the server's cores; otherwise give it more cores",
     "late"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls had to wait because as many run as the server may have",
     "$patchbay_ai_voice_attempts run; raise plugins.ai-voice.maxCalls", "server"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls had to wait because as many run as their tenant may have",
     "raise maxConcurrentCalls in that tenant's section ai-voice", "tenant"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls had to wait because their tenant may start only so many per second",
     "raise callsPerSecond in that tenant's section ai-voice", "rate"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls had to wait because every trunk of their number is at its limit",
     "the log names the trunks and limits: raise maxCalls or callsPerSecond of a trunk in the tenant's "
     "section sip-trunk, as far as its provider allows, or add a trunk to the route",
     "trunk"},
    {"patchbay_ai_voice_limited_total", Reading::increase, 0,
     "# calls were refused because too many of their tenant wait already",
     "calls are posted faster than they end: raise the limit that makes them wait, or maxWaitingCalls in "
     "that "
     "tenant's section ai-voice",
     "backlog"},
    {"patchbay_ai_voice_transcripts_lost_total", Reading::increase, 0, "# transcripts were lost",
     "the log has the call and the reason; check the disk of server.data"},
    {"patchbay_transcripts_failed_total", Reading::increase, 0, "# transcripts could not be kept",
     "check space and rights of the transcripts' folder under server.data"},
    {"patchbay_transcripts_mails_total", Reading::increase, 0, "# outcome mails could not be sent for a day",
     "`patchbay mails --state given-up` says why: see to the mail server and its settings", "given-up"},
    // Core: threads, store, events, log.
    {"patchbay_core_stalled_threads", Reading::now, 0, "# threads are held by callbacks that did not return",
     "the log names the plugin and its strand; run that plugin with `isolation: process`"},
    {"patchbay_core_posts_refused_total", Reading::increase, 0,
     "# calls into a plugin were refused because too many wait already",
     "the plugin is too slow or does not return: see the log for what holds its strand; run it with "
     "`isolation: "
     "process`"},
    {"patchbay_store_unsynced_commits_total", Reading::increase, 0,
     "# commits failed on the disk and were undone",
     "the disk under server.data is failing or full: see the log and the kernel's (dmesg)"},
    {"patchbay_store_writes_total", Reading::increase, 0, "# writes were given up because they took too long",
     "the log names the statement and its plugin", "timeout"},
    {"patchbay_store_write_queue_tasks", Reading::now, 1000, "# writes wait for the store",
     "the disk is slow or a statement holds the writer: see the log and the disk's latency (iostat -x 1)"},
    {"patchbay_store_wal_bytes", Reading::now, 256.0 * 1024 * 1024,
     "the store's write-ahead log has grown to # bytes",
     "checkpoints fail: see the log, and whether another process has the database open (fuser patchbay.db)"},
    {"patchbay_store_oldest_pending_seconds", Reading::now, 300,
     "an event has waited # s for a durable consumer",
     "its plugin is slow, stopped or gone: see the log; `patchbay store consumers` lists them"},
    {"patchbay_core_events_dropped_total", Reading::increase, 0,
     "# events were lost because a plugin is too slow",
     "see patchbay_core_events_waiting of that plugin, and the log for what holds it"},
    {"patchbay_log_lines_dropped_total", Reading::increase, 0, "# log lines were dropped",
     "the log's disk or reader is too slow; raise server.log.level to write less"},
    // HTTP.
    {"patchbay_rest_api_connections_shed_total", Reading::increase, 0,
     "# HTTP connections were closed to make room",
     "one client holds many connections: see the log; lower plugins.rest-api.limits.connectionsPerAddress"},
    {"patchbay_rest_api_bearers_waiting", Reading::now, 30,
     "# requests wait to have an unknown bearer checked",
     "a client guesses bearers: the log's summaries of refusals name the addresses; block them at the "
     "firewall"},
    {"patchbay_rest_api_handler_timeouts_total", Reading::increase, 0, "# requests were not answered in time",
     "the log names the route; see whether its plugin is stalled or the store is slow"},
    // Webhooks.
    {"patchbay_webhooks_overdue_seconds", Reading::now, 30, "a webhook delivery is # s overdue",
     "its receiver is slow or the tenant's share is full: GET /api.ashx/v1/admin/webhooks/{id}/deliveries "
     "shows which"},
    {"patchbay_webhooks_subscriptions_paused", Reading::now, 0,
     "# webhook subscriptions are paused after 20 failures",
     "repair the receiver, then PATCH /api.ashx/v1/admin/webhooks/{id} with {\"active\": true}"},
};

constexpr Figure kScreen[] = {
    {"cpu", "patchbay_core_cpu_seconds_total", Reading::per_second, "# cores used"},
    {"cpu", "patchbay_core_usable_cores", Reading::now, "# usable"},
    {"calls", "patchbay_ai_voice_attempts", Reading::now, "# running"},
    {"calls", "patchbay_sip_trunk_legs", Reading::now, "# SIP legs"},
    {"calls", "patchbay_media_joins", Reading::now, "# audio joins"},
    {"calls", "patchbay_ai_voice_first_audio_seconds", Reading::mean_ms, "first audio after # ms"},
    {"engine", "patchbay_engine_sessions", Reading::now, "# sessions"},
    {"engine", "patchbay_engine_queue_ms", Reading::max, "# ms of speech waiting at most"},
    {"engine", "patchbay_engine_lag_seconds", Reading::max, "I/O # s behind"},
    {"media", "patchbay_media_ports", Reading::now, "# ports"},
    {"media", "patchbay_media_ticks_late_total", Reading::per_second, "# late ticks/s"},
    {"media", "patchbay_media_ticks_skipped_total", Reading::per_second, "# skipped/s"},
    {"media", "patchbay_media_tick_max_late_seconds", Reading::max, "# s late at most"},
    {"store", "patchbay_store_writes_total", Reading::per_second, "# writes/s"},
    {"store", "patchbay_store_commit_seconds", Reading::mean_ms, "# ms a commit"},
    {"store", "patchbay_store_write_queue_tasks", Reading::now, "# waiting"},
    {"events", "patchbay_core_events_waiting", Reading::now, "# waiting"},
    {"events", "patchbay_core_events_dropped_total", Reading::per_second, "# dropped/s"},
    {"threads", "patchbay_core_executor_threads", Reading::now, "# threads"},
    {"threads", "patchbay_core_strands_waiting", Reading::now, "# strands waiting"},
    {"threads", "patchbay_core_worker_jobs_waiting", Reading::now, "# worker jobs waiting"},
    {"http", "patchbay_rest_api_connections", Reading::now, "# connections"},
    {"http", "patchbay_rest_api_requests_total", Reading::per_second, "# requests/s"},
    {"http", "patchbay_rest_api_request_seconds", Reading::mean_ms, "# ms each"},
    {"webhooks", "patchbay_webhooks_pending", Reading::now, "# waiting"},
    {"webhooks", "patchbay_webhooks_in_flight", Reading::now, "# under way"},
    {"log", "patchbay_log_lines_dropped_total", Reading::per_second, "# lines dropped/s"},
};

}  // namespace

std::span<const HealthRule> health_rules() { return kRules; }
std::span<const Figure> health_screen() { return kScreen; }

}  // namespace patchbay::app
