-- migration: 1
-- id: 12 hexadecimal digits of the time in milliseconds, 4 of a counter and 8 random ones, so its order is that of time.
-- before_json, after_json: NULL when there was or is no object.
CREATE TABLE rest_api_audit (
  id TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, time_ms BIGINT NOT NULL, actor TEXT NOT NULL,
  remote TEXT NOT NULL, action TEXT NOT NULL, object TEXT NOT NULL, before_json TEXT, after_json TEXT,
  correlation TEXT NOT NULL);
CREATE INDEX rest_api_audit_list ON rest_api_audit (tenant, id);

-- name: audit-add
INSERT INTO rest_api_audit
  (id, tenant, time_ms, actor, remote, action, object, before_json, after_json, correlation)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- $2 and $3: the range of ids, the end excluded. $4 to $6: '' for any; an action is found by how it begins.
-- name: audit-count
SELECT COUNT(*) FROM rest_api_audit
WHERE tenant = $1 AND id >= $2 AND id < $3 AND ($4 = '' OR actor = $4)
  AND ($5 = '' OR substr(action, 1, length(CAST($5 AS TEXT))) = $5) AND ($6 = '' OR object = $6);

-- name: audit-list
SELECT id, time_ms, tenant, actor, remote, action, object, before_json, after_json, correlation FROM rest_api_audit
WHERE tenant = $1 AND id >= $2 AND id < $3 AND ($4 = '' OR actor = $4)
  AND ($5 = '' OR substr(action, 1, length(CAST($5 AS TEXT))) = $5) AND ($6 = '' OR object = $6)
ORDER BY id DESC LIMIT $7 OFFSET $8;

-- name: audit-sweep
DELETE FROM rest_api_audit
WHERE id IN (SELECT id FROM rest_api_audit WHERE id < $1 ORDER BY id LIMIT $2)
RETURNING id;
