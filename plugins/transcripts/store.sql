-- migration: 1
CREATE TABLE transcripts_transcript (
  tenant TEXT NOT NULL, call_id TEXT NOT NULL, attempt BIGINT NOT NULL, file TEXT NOT NULL, size BIGINT NOT NULL,
  mtime_ms BIGINT NOT NULL, started_ms BIGINT NOT NULL, ended_ms BIGINT NOT NULL, duration_sec BIGINT NOT NULL,
  caller_source TEXT NOT NULL, rule TEXT NOT NULL, phone TEXT NOT NULL, display_name TEXT NOT NULL,
  number TEXT NOT NULL, from_number TEXT NOT NULL, outcome TEXT NOT NULL,
  voice TEXT NOT NULL, language TEXT NOT NULL, model TEXT NOT NULL,
  tokens_total BIGINT NOT NULL, tokens_prompt BIGINT NOT NULL, turn_count BIGINT NOT NULL,
  PRIMARY KEY (tenant, call_id, attempt));
CREATE INDEX transcripts_transcript_by_time ON transcripts_transcript (tenant, started_ms);

-- migration: 2
CREATE INDEX transcripts_transcript_by_age ON transcripts_transcript (mtime_ms);

-- migration: 3
CREATE INDEX transcripts_transcript_by_file ON transcripts_transcript (tenant, file);

-- For retention, tenant by tenant.
CREATE INDEX transcripts_transcript_by_tenant_age ON transcripts_transcript (tenant, mtime_ms);
DROP INDEX transcripts_transcript_by_age;

-- Public links. A share is valid while its transcript exists. token_hash: hexadecimal SHA-256 of the token; masked_token:
-- U+2026 and its last 8 characters; expires_ms and last_viewed_ms 0: never.
CREATE TABLE transcripts_share (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, token_hash TEXT NOT NULL, masked_token TEXT NOT NULL,
  file TEXT NOT NULL,
  call_id TEXT NOT NULL, attempt BIGINT NOT NULL, ttl_hours BIGINT NOT NULL, created_ms BIGINT NOT NULL,
  created_by TEXT NOT NULL, expires_ms BIGINT NOT NULL, views BIGINT NOT NULL, last_viewed_ms BIGINT NOT NULL);
CREATE UNIQUE INDEX transcripts_share_by_token ON transcripts_share (token_hash);
CREATE INDEX transcripts_share_by_time ON transcripts_share (tenant, created_ms, id);
CREATE INDEX transcripts_share_by_transcript ON transcripts_share (tenant, call_id, attempt);
CREATE INDEX transcripts_share_by_expiry ON transcripts_share (expires_ms);

-- migration: 4
-- Messages about calls that ended for good. state: waiting, sent, refused or given-up; last_try_ms and next_try_ms 0: none.
CREATE TABLE transcripts_mail (
  tenant TEXT NOT NULL, call_id TEXT NOT NULL, recipient TEXT NOT NULL, phone TEXT NOT NULL,
  display_name TEXT NOT NULL, outcome TEXT NOT NULL, error_detail TEXT NOT NULL, attempts BIGINT NOT NULL,
  ended_ms BIGINT NOT NULL, duration_sec BIGINT NOT NULL, file TEXT NOT NULL, created_ms BIGINT NOT NULL,
  state TEXT NOT NULL, tries BIGINT NOT NULL, error TEXT NOT NULL,
  last_try_ms BIGINT NOT NULL, next_try_ms BIGINT NOT NULL,
  PRIMARY KEY (tenant, call_id));
CREATE INDEX transcripts_mail_by_time ON transcripts_mail (tenant, created_ms);
CREATE INDEX transcripts_mail_by_state ON transcripts_mail (tenant, state, created_ms);
CREATE INDEX transcripts_mail_by_age ON transcripts_mail (created_ms);

-- migration: 5
-- In the order of the list, so that a page begins anywhere in it.
CREATE INDEX transcripts_transcript_list ON transcripts_transcript (tenant, started_ms, file);
DROP INDEX transcripts_transcript_by_time;
CREATE INDEX transcripts_mail_list ON transcripts_mail (tenant, created_ms, call_id);
DROP INDEX transcripts_mail_by_time;

-- migration: 6
CREATE INDEX transcripts_mail_waiting ON transcripts_mail (tenant) WHERE state = 'waiting';

-- name: next_tenant
SELECT tenant FROM transcripts_transcript WHERE tenant > $1 ORDER BY tenant LIMIT 1;

-- name: list_old
SELECT call_id, attempt, file FROM transcripts_transcript
WHERE tenant = $1 AND mtime_ms < $2 ORDER BY mtime_ms LIMIT $3;

-- name: delete
DELETE FROM transcripts_transcript WHERE tenant = $1 AND call_id = $2 AND attempt = $3;

-- name: save
INSERT INTO transcripts_transcript
  (tenant, call_id, attempt, file, size, mtime_ms, started_ms, ended_ms, duration_sec, caller_source, rule, phone,
   display_name, number, from_number, outcome, voice, language, model, tokens_total, tokens_prompt, turn_count)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
ON CONFLICT (tenant, call_id, attempt) DO UPDATE SET
  file = excluded.file, size = excluded.size, mtime_ms = excluded.mtime_ms, started_ms = excluded.started_ms,
  ended_ms = excluded.ended_ms, duration_sec = excluded.duration_sec, caller_source = excluded.caller_source,
  rule = excluded.rule, phone = excluded.phone, display_name = excluded.display_name, number = excluded.number,
  from_number = excluded.from_number, outcome = excluded.outcome, voice = excluded.voice,
  language = excluded.language, model = excluded.model, tokens_total = excluded.tokens_total,
  tokens_prompt = excluded.tokens_prompt, turn_count = excluded.turn_count;

-- Parameters of count and list: tenant, source ('': all), since, q as a LIKE pattern ('': all).
-- name: count
SELECT COUNT(*) FROM transcripts_transcript
WHERE tenant = $1 AND ($2 = '' OR caller_source = $2 OR ($2 = 'vnum' AND caller_source = 'office-tab'))
  AND started_ms >= $3
  AND ($4 = '' OR lower(phone) LIKE lower($4) ESCAPE '!' OR lower(from_number) LIKE lower($4) ESCAPE '!'
       OR lower(number) LIKE lower($4) ESCAPE '!' OR lower(display_name) LIKE lower($4) ESCAPE '!'
       OR lower(rule) LIKE lower($4) ESCAPE '!');

-- name: list
-- The columns are the members of kItemMembers (src/routes.cpp). Those before ($7, $8).
SELECT call_id, caller_source, started_ms, ended_ms, CASE WHEN caller_source = 'outbound-ai' THEN mtime_ms END,
  duration_sec, rule, CASE WHEN caller_source = 'outbound-ai' THEN phone END,
  CASE WHEN caller_source = 'outbound-ai' THEN display_name END,
  CASE WHEN caller_source <> 'outbound-ai' THEN number END, outcome,
  CASE WHEN caller_source = 'outbound-ai' THEN voice END, CASE WHEN caller_source = 'outbound-ai' THEN language END,
  CASE WHEN caller_source = 'outbound-ai' THEN model END, tokens_total,
  CASE WHEN caller_source = 'outbound-ai' THEN tokens_prompt END, turn_count, size, 'tenant', file
FROM transcripts_transcript
WHERE tenant = $1 AND ($2 = '' OR caller_source = $2 OR ($2 = 'vnum' AND caller_source = 'office-tab'))
  AND started_ms >= $3
  AND ($4 = '' OR lower(phone) LIKE lower($4) ESCAPE '!' OR lower(from_number) LIKE lower($4) ESCAPE '!'
       OR lower(number) LIKE lower($4) ESCAPE '!' OR lower(display_name) LIKE lower($4) ESCAPE '!'
       OR lower(rule) LIKE lower($4) ESCAPE '!')
  AND (started_ms, file) < ($7, $8)
ORDER BY started_ms DESC, file DESC LIMIT $5 OFFSET $6;

-- Attempt $3, or the latest for 0.
-- name: find
SELECT file FROM transcripts_transcript
WHERE tenant = $1 AND call_id = $2 AND ($3 = 0 OR attempt = $3)
ORDER BY attempt DESC LIMIT 1;

-- name: share_transcript
SELECT call_id, attempt FROM transcripts_transcript WHERE tenant = $1 AND file = $2 ORDER BY attempt DESC LIMIT 1;

-- Adds no row when the transcript was deleted meanwhile. Parameters: id, tenant, token_hash, masked_token, call_id, attempt,
-- ttl_hours, created_ms, created_by, expires_ms.
-- name: share_insert
INSERT INTO transcripts_share (id, tenant, token_hash, masked_token, file, call_id, attempt, ttl_hours, created_ms,
  created_by, expires_ms, views, last_viewed_ms)
SELECT CAST($1 AS TEXT), tenant, CAST($3 AS TEXT), CAST($4 AS TEXT), file, call_id, attempt, CAST($7 AS BIGINT),
  CAST($8 AS BIGINT), CAST($9 AS TEXT), CAST($10 AS BIGINT), 0, 0
FROM transcripts_transcript WHERE tenant = $2 AND call_id = $5 AND attempt = $6;

-- Parameters of share_count, share_list and share_get: tenant, the time now.
-- name: share_count
SELECT COUNT(*) FROM transcripts_share WHERE tenant = $1 AND (expires_ms = 0 OR expires_ms > $2);

-- name: share_list
-- The columns are the members of share_members() (src/shares/share.cpp).
SELECT id, masked_token, file, call_id, attempt, ttl_hours, created_ms, created_by,
  CASE WHEN expires_ms > 0 THEN expires_ms END, views, CASE WHEN last_viewed_ms > 0 THEN last_viewed_ms END
FROM transcripts_share WHERE tenant = $1 AND (expires_ms = 0 OR expires_ms > $2) AND (created_ms, id) < ($5, $6)
ORDER BY created_ms DESC, id DESC LIMIT $3 OFFSET $4;

-- name: share_get
SELECT id, tenant, masked_token, file, call_id, attempt, ttl_hours, created_ms, created_by, expires_ms, views, last_viewed_ms
FROM transcripts_share WHERE tenant = $1 AND (expires_ms = 0 OR expires_ms > $2) AND id = $3;

-- name: share_delete
DELETE FROM transcripts_share WHERE tenant = $1 AND id = $2;

-- name: share_delete_of
DELETE FROM transcripts_share WHERE tenant = $1 AND call_id = $2 AND attempt = $3;

-- Without the tenant, because the token alone says which share is meant. Parameters: token_hash, the time now.
-- name: share_open
SELECT s.id, s.tenant, s.masked_token, s.file, s.call_id, s.attempt, s.ttl_hours, s.created_ms, s.created_by, s.expires_ms,
  s.views, s.last_viewed_ms
FROM transcripts_share s
JOIN transcripts_transcript t ON t.tenant = s.tenant AND t.call_id = s.call_id AND t.attempt = s.attempt
WHERE s.token_hash = $1 AND (s.expires_ms = 0 OR s.expires_ms > $2);

-- Parameters: tenant, id, the time now.
-- name: share_viewed
UPDATE transcripts_share SET views = views + 1, last_viewed_ms = $3
WHERE tenant = $1 AND id = $2 AND (expires_ms = 0 OR expires_ms > $3);

-- Of all tenants, for retention. Parameters: the time now, how many.
-- name: share_prune
DELETE FROM transcripts_share WHERE id IN
  (SELECT id FROM transcripts_share WHERE expires_ms > 0 AND expires_ms <= $1 ORDER BY expires_ms LIMIT $2);

-- Attempt $3, or the latest for 0. For the deletion of one.
-- name: find_item
SELECT call_id, attempt, file, started_ms, duration_sec, outcome FROM transcripts_transcript
WHERE tenant = $1 AND call_id = $2 AND ($3 = 0 OR attempt = $3)
ORDER BY attempt DESC LIMIT 1;

-- name: mail_insert
INSERT INTO transcripts_mail (tenant, call_id, recipient, phone, display_name, outcome, error_detail, attempts,
  ended_ms, duration_sec, file, created_ms, state, tries, error, last_try_ms, next_try_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'waiting', 0, '', 0, 0)
ON CONFLICT (tenant, call_id) DO NOTHING;

-- name: mail_get
SELECT state, tries, recipient, phone, display_name, outcome, error_detail, attempts, ended_ms, duration_sec, file,
  created_ms
FROM transcripts_mail WHERE tenant = $1 AND call_id = $2;

-- name: mail_tenants
SELECT DISTINCT tenant FROM transcripts_mail WHERE state = 'waiting';

-- Parameters: tenant, call_id, state, error, the time now, the time of the next attempt.
-- name: mail_result
UPDATE transcripts_mail SET state = $3, tries = tries + 1, error = $4, last_try_ms = $5, next_try_ms = $6
WHERE tenant = $1 AND call_id = $2;

-- Parameters of mail_count and mail_list: tenant, state ('': all).
-- name: mail_count
SELECT COUNT(*) FROM transcripts_mail WHERE tenant = $1 AND ($2 = '' OR state = $2);

-- name: mail_list
SELECT call_id, recipient, state, tries, error, created_ms, CASE WHEN last_try_ms > 0 THEN last_try_ms END,
  CASE WHEN next_try_ms > 0 THEN next_try_ms END
FROM transcripts_mail WHERE tenant = $1 AND ($2 = '' OR state = $2) AND (created_ms, call_id) < ($5, $6)
ORDER BY created_ms DESC, call_id DESC LIMIT $3 OFFSET $4;

-- Of all tenants, for retention. Parameters: made before, how many.
-- name: mail_prune
DELETE FROM transcripts_mail WHERE created_ms IN
  (SELECT created_ms FROM transcripts_mail WHERE created_ms < $1 ORDER BY created_ms LIMIT $2);
