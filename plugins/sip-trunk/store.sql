-- migration: 1
-- Answered dialogs that are not ended yet: after a kill, the next start sends their BYE.
CREATE TABLE sip_trunk_dialog (
  call_id TEXT NOT NULL PRIMARY KEY,
  epoch BIGINT NOT NULL,   -- of the run that dialled
  tenant TEXT NOT NULL,
  trunk TEXT NOT NULL,     -- its id: the credentials stay in the configuration
  from_value TEXT NOT NULL,
  to_value TEXT NOT NULL,
  target TEXT NOT NULL,
  routes TEXT NOT NULL,
  next_hop TEXT NOT NULL,
  sequence BIGINT NOT NULL
);
CREATE INDEX sip_trunk_dialog_epoch ON sip_trunk_dialog (epoch);

-- migration: 2
-- From is a part of the key, because a call has the same Call-ID on trunks of one domain, but each dialog has its own tag.
-- run: the start of the plugin that dialled, because an isolated plugin may restart within one epoch.
DROP INDEX sip_trunk_dialog_epoch;
ALTER TABLE sip_trunk_dialog RENAME TO sip_trunk_dialog_1;
CREATE TABLE sip_trunk_dialog (
  call_id TEXT NOT NULL,
  from_value TEXT NOT NULL,
  run BIGINT NOT NULL,
  tenant TEXT NOT NULL,
  trunk TEXT NOT NULL,
  to_value TEXT NOT NULL,
  target TEXT NOT NULL,
  routes TEXT NOT NULL,
  next_hop TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  PRIMARY KEY (call_id, from_value)
);
INSERT INTO sip_trunk_dialog
SELECT call_id, from_value, epoch, tenant, trunk, to_value, target, routes, next_hop, sequence FROM sip_trunk_dialog_1;
DROP TABLE sip_trunk_dialog_1;

-- name: up
INSERT INTO sip_trunk_dialog
  (call_id, run, tenant, trunk, from_value, to_value, target, routes, next_hop, sequence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (call_id, from_value) DO UPDATE SET run = $2, tenant = $3, trunk = $4, to_value = $6,
  target = $7, routes = $8, next_hop = $9, sequence = $10;

-- name: down
DELETE FROM sip_trunk_dialog WHERE call_id = $1 AND from_value = $2;

-- name: orphans
SELECT call_id, tenant, trunk, from_value, to_value, target, routes, next_hop, sequence
FROM sip_trunk_dialog WHERE run <> $1 ORDER BY call_id LIMIT 10000;
