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

-- name: insert
INSERT INTO ai_voice_call (call_id, tenant, created_ms, requested_by, phone, display_name, email, system_prompt, api_key,
  model, voice, language, max_seconds, status, attempt, retries_left, retry_delay_minutes, scheduled_ms, ended_reason,
  duration_sec, trunk_id, transcript_path, error_detail, owner_epoch, rev)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1, $15, $16, $17, '', 0, '', '', '', 0, 1);

-- name: get
SELECT call_id, tenant, created_ms, requested_by, phone, display_name, email, system_prompt, api_key, model, voice,
  language, max_seconds, status, attempt, retries_left, retry_delay_minutes, scheduled_ms, dispatched_ms, answered_ms,
  ended_ms, ended_reason, duration_sec, trunk_id, transcript_path, error_detail, owner_epoch, rev
FROM ai_voice_call WHERE call_id = $1;

-- name: list
SELECT call_id, tenant, created_ms, requested_by, phone, display_name, email, system_prompt, api_key, model, voice,
  language, max_seconds, status, attempt, retries_left, retry_delay_minutes, scheduled_ms, dispatched_ms, answered_ms,
  ended_ms, ended_reason, duration_sec, trunk_id, transcript_path, error_detail, owner_epoch, rev
FROM ai_voice_call WHERE tenant = $1 AND ($2 = '' OR $2 LIKE '%,' || status || ',%')
ORDER BY created_ms DESC, call_id DESC LIMIT $3 OFFSET $4;

-- name: list_count
SELECT COUNT(*) FROM ai_voice_call WHERE tenant = $1 AND ($2 = '' OR $2 LIKE '%,' || status || ',%');

-- name: waiting_count
SELECT COUNT(*) FROM ai_voice_call WHERE tenant = $1 AND owner_epoch = 0
  AND status IN ('scheduled', 'dispatching', 'ended-failed-retry-pending');

-- name: orphans
SELECT call_id, tenant, created_ms, requested_by, phone, display_name, email, system_prompt, api_key, model, voice,
  language, max_seconds, status, attempt, retries_left, retry_delay_minutes, scheduled_ms, dispatched_ms, answered_ms,
  ended_ms, ended_reason, duration_sec, trunk_id, transcript_path, error_detail, owner_epoch, rev
FROM ai_voice_call WHERE owner_epoch > 0 AND owner_epoch < $1 ORDER BY call_id LIMIT 200;

-- name: claim
UPDATE ai_voice_call SET status = 'dispatching', attempt = $3, retries_left = $4, owner_epoch = $5, dispatched_ms = $6,
  answered_ms = NULL, ended_ms = NULL, ended_reason = '', duration_sec = 0, trunk_id = '', transcript_path = '',
  error_detail = '', rev = rev + 1
WHERE call_id = $1 AND rev = $2 AND owner_epoch = 0;

-- name: answered
UPDATE ai_voice_call SET status = 'in-flight', answered_ms = $4, trunk_id = $5, rev = rev + 1
WHERE call_id = $1 AND owner_epoch = $2 AND attempt = $3 AND status = 'dispatching';

-- name: finish
UPDATE ai_voice_call SET status = $4, ended_ms = $5, ended_reason = $6, duration_sec = $7, trunk_id = $8,
  transcript_path = $9, error_detail = $10, owner_epoch = 0, rev = rev + 1,
  api_key = CASE WHEN $4 = 'ended-failed-retry-pending' THEN api_key ELSE NULL END
WHERE call_id = $1 AND owner_epoch = $2 AND attempt = $3;

-- name: turn_put
INSERT INTO ai_voice_turn (call_id, attempt, n, of_ai, text, ts_ms) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (call_id, attempt, n) DO UPDATE SET text = excluded.text;

-- name: turns
SELECT of_ai, text, ts_ms FROM ai_voice_turn WHERE call_id = $1 AND attempt = $2 AND text <> '' ORDER BY n;

-- name: turns_forget
DELETE FROM ai_voice_turn WHERE call_id = $1 AND attempt = $2;

-- name: cancel_waiting
UPDATE ai_voice_call SET status = 'cancelled', ended_ms = $3, ended_reason = 'cancelled', api_key = NULL, rev = rev + 1
WHERE call_id = $1 AND rev = $2 AND owner_epoch = 0;

-- name: remember
INSERT INTO ai_voice_idempotency (tenant, key_hash, request_hash, response, created_ms) VALUES ($1, $2, $3, $4, $5);

-- name: recall
SELECT request_hash, response, created_ms FROM ai_voice_idempotency WHERE tenant = $1 AND key_hash = $2;

-- name: forget
DELETE FROM ai_voice_idempotency WHERE tenant = $1 AND key_hash = $2 AND created_ms = $3;
