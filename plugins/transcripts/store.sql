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

-- Of all tenants, for retention.
-- name: list_old
SELECT tenant, call_id, attempt, file FROM transcripts_transcript WHERE mtime_ms < $1 ORDER BY mtime_ms LIMIT $2;

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
-- The columns are the members of kItemMembers (src/routes.cpp).
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
ORDER BY started_ms DESC, call_id DESC, attempt DESC LIMIT $5 OFFSET $6;

-- Attempt $3, or the latest for 0.
-- name: find
SELECT file FROM transcripts_transcript
WHERE tenant = $1 AND call_id = $2 AND ($3 = 0 OR attempt = $3)
ORDER BY attempt DESC LIMIT 1;
