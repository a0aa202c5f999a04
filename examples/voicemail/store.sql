-- migration: 1
CREATE TABLE voicemail_message (
  id {{ID}} PRIMARY KEY, tenant TEXT NOT NULL, call_id TEXT NOT NULL, did TEXT NOT NULL, from_number TEXT NOT NULL,
  created_ms BIGINT NOT NULL, duration_ms BIGINT NOT NULL, audio {{BYTES}} NOT NULL);
CREATE INDEX voicemail_message_tenant ON voicemail_message (tenant, id);
CREATE INDEX voicemail_message_age ON voicemail_message (tenant, created_ms);

-- name: add
INSERT INTO voicemail_message (tenant, call_id, did, from_number, created_ms, duration_ms, audio)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: count
SELECT COUNT(*) FROM voicemail_message WHERE tenant = $1;

-- name: list
SELECT id, call_id, did, from_number, created_ms, duration_ms FROM voicemail_message WHERE tenant = $1
ORDER BY id DESC LIMIT $2 OFFSET $3;

-- name: audio
SELECT audio FROM voicemail_message WHERE tenant = $1 AND id = $2;

-- name: remove
DELETE FROM voicemail_message WHERE tenant = $1 AND id = $2;

-- name: expire
DELETE FROM voicemail_message WHERE tenant = $1 AND created_ms < $2;
