-- migration: 1
CREATE TABLE ai_voice_call (
  call_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  requested_by TEXT NOT NULL,
  phone TEXT NOT NULL,
  display_name TEXT NOT NULL,
  email TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  api_key {{BYTES}},              -- sealed; gone once the call has ended for good
  model TEXT NOT NULL,
  voice TEXT NOT NULL,
  language TEXT NOT NULL,
  max_seconds BIGINT NOT NULL,
  status TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  retries_left BIGINT NOT NULL,
  retry_delay_minutes BIGINT NOT NULL,
  scheduled_ms BIGINT,
  dispatched_ms BIGINT,
  answered_ms BIGINT,
  ended_ms BIGINT,
  ended_reason TEXT NOT NULL,
  duration_sec BIGINT NOT NULL,
  trunk_id TEXT NOT NULL,
  transcript_path TEXT NOT NULL,
  error_detail TEXT NOT NULL,
  owner_epoch BIGINT NOT NULL,    -- of the process whose attempt runs; 0: none does
  rev BIGINT NOT NULL             -- raised by every change
);
CREATE INDEX ai_voice_call_list ON ai_voice_call (tenant, created_ms, call_id);
CREATE INDEX ai_voice_call_owner ON ai_voice_call (owner_epoch);
CREATE TABLE ai_voice_idempotency (
  tenant TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  response TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (tenant, key_hash)
);

-- migration: 2
-- What was said so far on attempts that run; gone with their end.
CREATE TABLE ai_voice_turn (
  call_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  n BIGINT NOT NULL,
  of_ai BIGINT NOT NULL,
  text TEXT NOT NULL,
  ts_ms BIGINT NOT NULL,
  PRIMARY KEY (call_id, attempt, n)
);

-- migration: 3
-- How many calls a tenant has in each status: lists and limits ask for it with every request.
CREATE TABLE ai_voice_call_count (
  tenant TEXT NOT NULL,
  status TEXT NOT NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (tenant, status)
);
INSERT INTO ai_voice_call_count (tenant, status, n)
SELECT tenant, status, COUNT(*) FROM ai_voice_call GROUP BY tenant, status;
CREATE INDEX ai_voice_call_status ON ai_voice_call (tenant, status, created_ms, call_id, owner_epoch);
DROP INDEX ai_voice_call_owner;
CREATE INDEX ai_voice_call_running ON ai_voice_call (owner_epoch) WHERE owner_epoch > 0;
CREATE INDEX ai_voice_call_ended ON ai_voice_call (ended_ms, call_id)
  WHERE status IN ('ended-success', 'ended-failed-final', 'cancelled');
CREATE INDEX ai_voice_idempotency_age ON ai_voice_idempotency (created_ms);

-- migration: 4
-- A run is one start of the plugin: the epoch is the server's, and an isolated plugin may restart within one epoch.
ALTER TABLE ai_voice_call RENAME COLUMN owner_epoch TO owner_run;

-- migration: 5
-- The server process whose attempt runs, because several may share the database; owner_run: which start of the plugin in it.
ALTER TABLE ai_voice_call ADD COLUMN owner_node TEXT NOT NULL DEFAULT '';
ALTER TABLE ai_voice_call ADD COLUMN owner_epoch BIGINT NOT NULL DEFAULT 0;

-- migration: 6
-- For limits that servers on one database share: a tenant's running calls, and when its next call may start.
CREATE INDEX ai_voice_call_running_tenant ON ai_voice_call (tenant) WHERE owner_run > 0;
CREATE TABLE ai_voice_start_rate (tenant TEXT PRIMARY KEY, next_ms BIGINT NOT NULL);
-- Hangups that were requested at a server that does not run the attempt.
CREATE TABLE ai_voice_hangup (call_id TEXT PRIMARY KEY, owner_run BIGINT NOT NULL);

-- migration: 7
-- The limit that makes the call wait; NULL: none does, or it does not wait.
ALTER TABLE ai_voice_call ADD COLUMN waits_for TEXT;

-- migration: 8
-- Calls to virtual numbers that run, deleted when they end. Their turns are in ai_voice_turn, with attempt 1.
CREATE TABLE ai_voice_inbound (
  call_id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,             -- of the virtual number
  did TEXT NOT NULL,
  from_number TEXT NOT NULL,
  voice TEXT NOT NULL,
  language TEXT NOT NULL,
  model TEXT NOT NULL,
  keeps_transcript BIGINT NOT NULL,
  started_ms BIGINT NOT NULL,
  answered_ms BIGINT,
  owner_run BIGINT NOT NULL,
  owner_node TEXT NOT NULL,
  owner_epoch BIGINT NOT NULL
);
CREATE INDEX ai_voice_inbound_tenant ON ai_voice_inbound (tenant);
CREATE INDEX ai_voice_inbound_owner ON ai_voice_inbound (owner_run);

-- migration: 9
-- The quality of the last attempt's audio.
ALTER TABLE ai_voice_call ADD COLUMN rtp_received BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ai_voice_call ADD COLUMN rtp_lost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ai_voice_call ADD COLUMN rtp_jitter_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ai_voice_call ADD COLUMN rtp_round_trip_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ai_voice_call ADD COLUMN rtp_far_lost_percent BIGINT NOT NULL DEFAULT -1;

-- migration: 10
ALTER TABLE ai_voice_inbound ADD COLUMN transferred BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ai_voice_inbound ADD COLUMN max_seconds BIGINT NOT NULL DEFAULT 3600;

-- migration: 11
ALTER TABLE ai_voice_call ADD COLUMN rtp_delay_ms BIGINT NOT NULL DEFAULT 0;

-- migration: 12
-- 1: the caller was handed over by the AI of another virtual number, whose row counts for the limits.
ALTER TABLE ai_voice_inbound ADD COLUMN handed_over BIGINT NOT NULL DEFAULT 0;

-- migration: 13
-- 1: the AI has handed the callee of this attempt to a user.
ALTER TABLE ai_voice_call ADD COLUMN transferred BIGINT NOT NULL DEFAULT 0;

-- name: check_slot
-- A row while fewer than $2 calls of the tenant run at all servers.
SELECT 1 WHERE (SELECT COUNT(*) FROM ai_voice_call WHERE tenant = $1 AND owner_run > 0)
  + (SELECT COUNT(*) FROM ai_voice_inbound WHERE tenant = $1 AND handed_over = 0) < $2;

-- name: take_start
-- Changes a row if the tenant's next call may start at $2, or so soon after it ($4) that the pause was only measured
-- differently. $3: the time between two starts.
INSERT INTO ai_voice_start_rate (tenant, next_ms) VALUES ($1, CAST($2 AS BIGINT) + CAST($3 AS BIGINT))
ON CONFLICT (tenant) DO UPDATE SET
  next_ms = $3 + CASE WHEN ai_voice_start_rate.next_ms > $2 THEN ai_voice_start_rate.next_ms ELSE $2 END
WHERE ai_voice_start_rate.next_ms <= $4;

-- name: decrement_count
UPDATE ai_voice_call_count SET n = n - 1
WHERE tenant = $1 AND status = (SELECT status FROM ai_voice_call WHERE call_id = $2);

-- name: increment_count
INSERT INTO ai_voice_call_count (tenant, status, n) SELECT tenant, status, 1 FROM ai_voice_call WHERE call_id = $1
ON CONFLICT (tenant, status) DO UPDATE SET n = ai_voice_call_count.n + 1;

-- name: insert
-- All columns in their order, as kCallFields (src/outbound/call.h) has them.
INSERT INTO ai_voice_call VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
  $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38);

-- name: get
SELECT * FROM ai_voice_call WHERE call_id = $1 AND tenant = $2;

-- name: list
-- The API's record, its columns in the order of kCallFields (src/outbound/call.h), of calls before ($4, $5).
SELECT call_id, tenant, requested_by, phone, display_name, email, voice, language, model, status, created_ms, scheduled_ms,
  dispatched_ms, answered_ms, ended_ms, ended_reason, duration_sec, trunk_id, transcript_path, error_detail, attempt, retries_left,
  retry_delay_minutes, rtp_received, rtp_lost, rtp_jitter_us, rtp_round_trip_us, rtp_far_lost_percent, rtp_delay_ms, waits_for
FROM ai_voice_call WHERE tenant = $1 AND (created_ms, call_id) < ($4, $5)
ORDER BY created_ms DESC, call_id DESC LIMIT $2 OFFSET $3;

-- name: list_status
-- The same columns, of calls before ($12, $13). Reads each status from the index separately, because no index has several statuses in the order of time.
SELECT call_id, tenant, requested_by, phone, display_name, email, voice, language, model, status, created_ms, scheduled_ms,
  dispatched_ms, answered_ms, ended_ms, ended_reason, duration_sec, trunk_id, transcript_path, error_detail, attempt, retries_left,
  retry_delay_minutes, rtp_received, rtp_lost, rtp_jitter_us, rtp_round_trip_us, rtp_far_lost_percent, rtp_delay_ms, waits_for
FROM ai_voice_call WHERE call_id IN (
  SELECT call_id FROM (
    SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $2 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS a
    UNION ALL SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $3 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS b
    UNION ALL SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $4 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS c
    UNION ALL SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $5 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS d
    UNION ALL SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $6 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS e
    UNION ALL SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $7 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS f
    UNION ALL SELECT * FROM (SELECT created_ms, call_id FROM ai_voice_call WHERE tenant = $1 AND status = $8 AND (created_ms, call_id) < ($12, $13)
      ORDER BY created_ms DESC, call_id DESC LIMIT $9) AS g
  ) AS newest ORDER BY created_ms DESC, call_id DESC LIMIT $10 OFFSET $11
) ORDER BY created_ms DESC, call_id DESC;

-- name: list_count
SELECT status, n FROM ai_voice_call_count WHERE tenant = $1;

-- name: list_total
SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM ai_voice_call_count WHERE tenant = $1;

-- name: open_count
SELECT status, CAST(SUM(n) AS BIGINT) FROM ai_voice_call_count
WHERE status IN ('scheduled', 'dispatching', 'in-flight', 'ended-failed-retry-pending') GROUP BY status;

-- name: waiting_count
-- Calls that are scheduled or wait for a retry have no owner, so only those being dispatched are looked at one by one.
-- Without IN, for which SQLite fills a temporary table.
SELECT COALESCE((SELECT n FROM ai_voice_call_count WHERE tenant = $1 AND status = 'scheduled'), 0)
  + COALESCE((SELECT n FROM ai_voice_call_count WHERE tenant = $1 AND status = 'ended-failed-retry-pending'), 0)
  + (SELECT COUNT(*) FROM ai_voice_call WHERE tenant = $1 AND status = 'dispatching' AND owner_run = 0);

-- name: orphans
-- Of dead owners: another run of this very process, or a process that is not alive.
SELECT * FROM ai_voice_call
WHERE owner_run > 0 AND owner_run <> $1
  AND ((owner_node = $2 AND owner_epoch = $3)
    OR NOT EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = owner_node AND l.epoch = owner_epoch))
ORDER BY call_id LIMIT 200;

-- name: owned
-- And whether another server was asked to hang up.
SELECT c.call_id, CASE WHEN h.owner_run IS NULL THEN 0 ELSE 1 END
FROM ai_voice_call c LEFT JOIN ai_voice_hangup h ON h.call_id = c.call_id AND h.owner_run = c.owner_run
WHERE c.owner_run = $1 AND c.owner_run > 0;

-- name: request_hangup
-- notify
INSERT INTO ai_voice_hangup (call_id, owner_run) VALUES ($1, $2)
ON CONFLICT (call_id) DO UPDATE SET owner_run = excluded.owner_run;

-- name: delete_hangup
DELETE FROM ai_voice_hangup WHERE call_id = $1;

-- name: claim
UPDATE ai_voice_call SET status = 'dispatching', attempt = $3, retries_left = $4, owner_run = $5, dispatched_ms = $6,
  owner_node = $7, owner_epoch = $8,
  answered_ms = NULL, ended_ms = NULL, ended_reason = '', duration_sec = 0, trunk_id = '', transcript_path = '',
  error_detail = '', waits_for = NULL, rtp_received = 0, rtp_lost = 0, rtp_jitter_us = 0, rtp_round_trip_us = 0,
  rtp_far_lost_percent = -1, rtp_delay_ms = 0, transferred = 0, rev = rev + 1
WHERE call_id = $1 AND rev = $2 AND owner_run = 0;

-- name: set_waits_for
-- Leaves rev as it is, because nothing depends on this column.
UPDATE ai_voice_call SET waits_for = $2
WHERE call_id = $1 AND owner_run = 0 AND status IN ('scheduled', 'dispatching', 'ended-failed-retry-pending');

-- name: set_answered
UPDATE ai_voice_call SET status = 'in-flight', answered_ms = $4, trunk_id = $5, rev = rev + 1
WHERE call_id = $1 AND owner_run = $2 AND attempt = $3 AND status = 'dispatching';

-- name: set_transferred
UPDATE ai_voice_call SET transferred = 1 WHERE call_id = $1 AND owner_run = $2 AND attempt = $3;

-- name: end_attempt
UPDATE ai_voice_call SET status = $4, ended_ms = $5, ended_reason = $6, duration_sec = $7, trunk_id = $8,
  transcript_path = $9, error_detail = $10, rtp_received = $11, rtp_lost = $12, rtp_jitter_us = $13, rtp_round_trip_us = $14,
  rtp_far_lost_percent = $15, rtp_delay_ms = $16, owner_run = 0, rev = rev + 1,
  api_key = CASE WHEN $4 = 'ended-failed-retry-pending' THEN api_key ELSE NULL END
WHERE call_id = $1 AND owner_run = $2 AND attempt = $3;

-- name: save_turn
INSERT INTO ai_voice_turn (call_id, attempt, n, of_ai, text, ts_ms)
SELECT $1, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5, CAST($6 AS BIGINT)
WHERE EXISTS (SELECT 1 FROM ai_voice_call WHERE call_id = $1 AND owner_run = $7)
  OR EXISTS (SELECT 1 FROM ai_voice_inbound WHERE call_id = $1 AND owner_run = $7)
ON CONFLICT (call_id, attempt, n) DO UPDATE SET text = excluded.text;

-- name: turns
SELECT of_ai, text, ts_ms FROM ai_voice_turn WHERE call_id = $1 AND attempt = $2 AND text <> '' ORDER BY n;

-- name: delete_turns
DELETE FROM ai_voice_turn WHERE call_id = $1 AND attempt = $2;

-- name: cancel_waiting
UPDATE ai_voice_call SET status = 'cancelled', ended_ms = $4, ended_reason = 'cancelled', error_detail = '',
  attempt = $5, retries_left = $6, api_key = NULL, waits_for = NULL, rev = rev + 1
WHERE call_id = $1 AND tenant = $2 AND rev = $3 AND owner_run = 0;

-- name: save_idempotent_reply
INSERT INTO ai_voice_idempotency (tenant, key_hash, request_hash, response, created_ms) VALUES ($1, $2, $3, $4, $5);

-- name: update_idempotent_reply
UPDATE ai_voice_idempotency SET response = $3 WHERE tenant = $1 AND key_hash = $2;

-- name: find_idempotent_reply
SELECT request_hash, response, created_ms FROM ai_voice_idempotency WHERE tenant = $1 AND key_hash = $2;

-- name: delete_idempotent_reply
DELETE FROM ai_voice_idempotency WHERE tenant = $1 AND key_hash = $2 AND created_ms = $3;

-- name: delete_old_idempotent_replies
DELETE FROM ai_voice_idempotency WHERE (tenant, key_hash) IN (
  SELECT tenant, key_hash FROM ai_voice_idempotency WHERE created_ms < $1 ORDER BY created_ms LIMIT $2)
RETURNING key_hash;

-- name: count_old
UPDATE ai_voice_call_count SET n = n - (
  SELECT COUNT(*) FROM (
    SELECT tenant, status FROM ai_voice_call
    WHERE status IN ('ended-success', 'ended-failed-final', 'cancelled') AND ended_ms < $1
    ORDER BY ended_ms, call_id LIMIT $2) AS old
  WHERE old.tenant = ai_voice_call_count.tenant AND old.status = ai_voice_call_count.status);

-- name: delete_old_calls
DELETE FROM ai_voice_call WHERE call_id IN (
  SELECT call_id FROM ai_voice_call
  WHERE status IN ('ended-success', 'ended-failed-final', 'cancelled') AND ended_ms < $1
  ORDER BY ended_ms, call_id LIMIT $2)
RETURNING call_id;

-- name: inbound_begin
INSERT INTO ai_voice_inbound (call_id, tenant, name, did, from_number, voice, language, model, keeps_transcript, started_ms, owner_run,
  owner_node, owner_epoch, max_seconds, handed_over)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- name: inbound_answered
UPDATE ai_voice_inbound SET answered_ms = $3 WHERE call_id = $1 AND owner_run = $2;

-- name: inbound_transferred
UPDATE ai_voice_inbound SET transferred = 1 WHERE call_id = $1 AND owner_run = $2;

-- name: inbound_end
DELETE FROM ai_voice_inbound WHERE call_id = $1 AND owner_run = $2;

-- name: inbound_owned
SELECT call_id FROM ai_voice_inbound WHERE owner_run = $1;

-- name: inbound_orphans
-- Of dead owners: another run of this very process, or a process that is not alive.
SELECT call_id, tenant, name, did, from_number, voice, language, model, keeps_transcript, started_ms, COALESCE(answered_ms, 0), owner_run,
  transferred, max_seconds
FROM ai_voice_inbound
WHERE owner_run <> $1
  AND ((owner_node = $2 AND owner_epoch = $3)
    OR NOT EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = owner_node AND l.epoch = owner_epoch))
ORDER BY call_id LIMIT 200;
