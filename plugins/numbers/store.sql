-- migration: 1
CREATE TABLE numbers_number (
  tenant TEXT NOT NULL,
  number TEXT NOT NULL,           -- normalised
  position BIGINT NOT NULL,       -- the order of their making
  name TEXT NOT NULL,
  mode TEXT NOT NULL,
  user_name TEXT NOT NULL,
  voice TEXT NOT NULL,
  language TEXT NOT NULL,
  model TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  api_key {{BYTES}} NOT NULL,     -- sealed; empty without one
  greeting TEXT NOT NULL,
  save_transcripts BIGINT NOT NULL,
  max_duration_sec BIGINT NOT NULL,
  visibility TEXT NOT NULL,
  transfer_targets TEXT NOT NULL, -- one per line
  rev BIGINT NOT NULL,            -- grows with each change
  PRIMARY KEY (tenant, number)
);
CREATE INDEX numbers_number_order ON numbers_number (tenant, position, number);

-- migration: 2
-- How callers are transferred to numbers; empty: as the tenant's calls.
ALTER TABLE numbers_number ADD COLUMN transfer_by TEXT NOT NULL DEFAULT '';

-- name: find
SELECT number, position, name, mode, user_name, voice, language, model, system_prompt, api_key, greeting, save_transcripts,
  max_duration_sec, visibility, transfer_targets, transfer_by, rev
FROM numbers_number WHERE tenant = $1 AND number = $2;

-- name: lookup
SELECT name, number, mode, user_name, visibility FROM numbers_number WHERE tenant = $1 AND number = $2;

-- name: order
SELECT position, number FROM numbers_number WHERE tenant = $1 ORDER BY position, number;

-- name: page
SELECT number, position, name, mode, user_name, voice, language, model, system_prompt, api_key, greeting, save_transcripts,
  max_duration_sec, visibility, transfer_targets, transfer_by, rev
FROM numbers_number WHERE tenant = $1 AND (position, number) >= ($2, $3) ORDER BY position, number LIMIT $4;

-- name: count
SELECT COUNT(*) FROM numbers_number WHERE tenant = $1;

-- name: add
INSERT INTO numbers_number
  (tenant, number, position, name, mode, user_name, voice, language, model, system_prompt, api_key, greeting, save_transcripts,
   max_duration_sec, visibility, transfer_targets, transfer_by, rev)
VALUES ($1, $2, (SELECT COALESCE(MAX(position), 0) + 1 FROM numbers_number WHERE tenant = $1), $3, $4, $5, $6, $7, $8, $9,
  $10, $11, $12, $13, $14, $15, $16, 1)
ON CONFLICT (tenant, number) DO NOTHING;

-- name: change
UPDATE numbers_number
SET name = $3, mode = $4, user_name = $5, voice = $6, language = $7, model = $8, system_prompt = $9, api_key = $10,
  greeting = $11, save_transcripts = $12, max_duration_sec = $13, visibility = $14, transfer_targets = $15,
  transfer_by = $16, rev = rev + 1
WHERE tenant = $1 AND number = $2 AND rev = $17;

-- name: remove
DELETE FROM numbers_number WHERE tenant = $1 AND number = $2 AND rev = $3;
