-- migration: 1
CREATE TABLE reference_plugin_note (id {{ID}}, body TEXT NOT NULL, extra {{BYTES}});
-- name: add
INSERT INTO reference_plugin_note (body, extra) VALUES ($1, $2) RETURNING id, body;
-- name: rename
UPDATE reference_plugin_note SET body = $2 WHERE body = $1;
-- name: find
SELECT body FROM reference_plugin_note WHERE body = $1;
