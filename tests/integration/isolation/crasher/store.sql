-- migration: 1
CREATE TABLE crasher_note (id {{ID}}, word TEXT NOT NULL);

-- name: add
INSERT INTO crasher_note (word) VALUES ($1);
