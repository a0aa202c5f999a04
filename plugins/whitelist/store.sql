-- migration: 1
CREATE TABLE whitelist_entry (
  tenant TEXT NOT NULL,
  number TEXT NOT NULL,     -- normalised, for comparison
  typed TEXT NOT NULL,      -- as the operator wrote it, for display
  comment TEXT NOT NULL,
  position BIGINT NOT NULL, -- the operator's order
  PRIMARY KEY (tenant, number)
);
CREATE INDEX whitelist_entry_order ON whitelist_entry (tenant, position, number);

-- name: contains
SELECT typed, comment FROM whitelist_entry WHERE tenant = $1 AND number = $2;

-- name: list
SELECT typed, comment, number FROM whitelist_entry WHERE tenant = $1 ORDER BY position, number;

-- name: count
SELECT COUNT(*) FROM whitelist_entry WHERE tenant = $1;

-- name: add
INSERT INTO whitelist_entry (tenant, number, typed, comment, position)
VALUES ($1, $2, $3, $4, (SELECT COALESCE(MAX(position), 0) + 1 FROM whitelist_entry WHERE tenant = $1))
ON CONFLICT (tenant, number) DO NOTHING
RETURNING number;

-- Only if the entry is as it was read.
-- name: set_comment
UPDATE whitelist_entry SET comment = $3 WHERE tenant = $1 AND number = $2 AND comment = $4;

-- Only if the entry is as it was read.
-- name: remove
DELETE FROM whitelist_entry WHERE tenant = $1 AND number = $2 AND comment = $3;

-- name: get
SELECT typed, comment FROM whitelist_entry WHERE tenant = $1 AND number = $2;

-- name: clear
DELETE FROM whitelist_entry WHERE tenant = $1;

-- name: insert
INSERT INTO whitelist_entry (tenant, number, typed, comment, position) VALUES ($1, $2, $3, $4, $5);
