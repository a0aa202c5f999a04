-- migration: 1
CREATE TABLE keeper_note (id {{ID}}, word TEXT NOT NULL);

-- name: add
INSERT INTO keeper_note (word) VALUES ($1);

-- name: count
SELECT COUNT(*) FROM keeper_note;
