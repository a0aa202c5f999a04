-- migration: 1
CREATE TABLE notes_note (id {{ID}} PRIMARY KEY, tenant TEXT NOT NULL, text TEXT NOT NULL, created_ms BIGINT NOT NULL);
CREATE INDEX notes_note_tenant ON notes_note (tenant, id);

-- name: add
INSERT INTO notes_note (tenant, text, created_ms) VALUES ($1, $2, $3) RETURNING id, text, created_ms;

-- name: count
SELECT COUNT(*) FROM notes_note WHERE tenant = $1;

-- name: list
SELECT id, text, created_ms FROM notes_note WHERE tenant = $1 ORDER BY id DESC LIMIT $2 OFFSET $3;

-- name: remove
DELETE FROM notes_note WHERE tenant = $1 AND id = $2;
