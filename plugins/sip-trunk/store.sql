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
  (call_id, run, tenant, trunk, from_value, to_value, target, routes, next_hop, sequence, owner_node, owner_epoch)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (call_id, from_value) DO UPDATE SET run = $2, tenant = $3, trunk = $4, to_value = $6,
  target = $7, routes = $8, next_hop = $9, sequence = $10, owner_node = $11, owner_epoch = $12;

-- name: down
DELETE FROM sip_trunk_dialog WHERE call_id = $1 AND from_value = $2;

-- name: orphan_count
-- Dialogs of dead owners: another run of this very process, or a process that is not alive.
SELECT COUNT(*) FROM sip_trunk_dialog
WHERE run <> $1
  AND ((owner_node = $2 AND owner_epoch = $3)
    OR NOT EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = owner_node AND l.epoch = owner_epoch));

-- name: take_orphans
-- The same, so that one of several servers sends each BYE.
UPDATE sip_trunk_dialog SET run = $1, owner_node = $2, owner_epoch = $3
WHERE run <> $1
  AND ((owner_node = $2 AND owner_epoch = $3)
    OR NOT EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = owner_node AND l.epoch = owner_epoch))
RETURNING call_id, tenant, trunk, from_value, to_value, target, routes, next_hop, sequence;

-- migration: 3
-- Rows of outbound-routes and inbound-routes that were written over REST; those of the configuration are not stored.
CREATE TABLE sip_trunk_route (
  tenant TEXT NOT NULL,
  domain TEXT NOT NULL,      -- outbound-routes, inbound-routes
  id TEXT NOT NULL,
  place BIGINT NOT NULL,     -- the order of evaluation
  number TEXT NOT NULL,      -- match or did, as written
  caller TEXT NOT NULL,      -- fromNumber as written; empty: any caller
  target TEXT NOT NULL,      -- the user, or trunk ids separated by blanks
  number_key TEXT NOT NULL,  -- number and caller in one spelling
  caller_key TEXT NOT NULL,
  dup_no BIGINT NOT NULL,    -- 0, but higher for duplicates in data from elsewhere
  PRIMARY KEY (tenant, domain, id),
  UNIQUE (tenant, domain, number_key, caller_key, dup_no)
);
CREATE INDEX sip_trunk_route_order ON sip_trunk_route (tenant, domain, place, id);
-- Increases with every change of a tenant's rows, so that other processes read them again.
CREATE TABLE sip_trunk_route_rev (
  tenant TEXT NOT NULL,
  domain TEXT NOT NULL,
  rev BIGINT NOT NULL,
  PRIMARY KEY (tenant, domain)
);

-- migration: 4
-- The server process that has the dialog, because several may share the database.
ALTER TABLE sip_trunk_dialog ADD COLUMN owner_node TEXT NOT NULL DEFAULT '';
ALTER TABLE sip_trunk_dialog ADD COLUMN owner_epoch BIGINT NOT NULL DEFAULT 0;

-- migration: 5
-- How many calls each server has at a trunk, when its limits are shared.
CREATE TABLE sip_trunk_use (
  owner_node TEXT NOT NULL,
  owner_epoch BIGINT NOT NULL,
  tenant TEXT NOT NULL,
  trunk TEXT NOT NULL,
  calls BIGINT NOT NULL,
  PRIMARY KEY (owner_node, owner_epoch, tenant, trunk)
);

-- migration: 6
-- The contacts that telephones have registered over UDP. A server rings those that registered at it.
CREATE TABLE sip_trunk_contact (
  owner_node TEXT NOT NULL,
  tenant TEXT NOT NULL,
  user_name TEXT NOT NULL,
  uri TEXT NOT NULL,
  instance TEXT NOT NULL,
  address TEXT NOT NULL,       -- where calls go to, with port
  user_agent TEXT NOT NULL,
  algorithm TEXT NOT NULL,     -- of the password's digest
  proof {{BYTES}} NOT NULL,    -- sealed: tells whether the password is still the same
  port BIGINT NOT NULL,
  since_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_node, tenant, user_name, uri)
);
CREATE INDEX sip_trunk_contact_expires ON sip_trunk_contact (expires_ms);

-- name: contact_put
INSERT INTO sip_trunk_contact
  (owner_node, tenant, user_name, uri, instance, address, port, user_agent, algorithm, proof, since_ms, expires_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (owner_node, tenant, user_name, uri) DO UPDATE SET instance = excluded.instance, address = excluded.address,
  port = excluded.port, user_agent = excluded.user_agent, algorithm = excluded.algorithm, proof = excluded.proof,
  since_ms = excluded.since_ms, expires_ms = excluded.expires_ms;

-- name: contact_remove
DELETE FROM sip_trunk_contact WHERE owner_node = $1 AND tenant = $2 AND user_name = $3 AND uri = $4;

-- name: contacts_of_node
SELECT tenant, user_name, uri, instance, address, user_agent, algorithm, proof, port, since_ms, expires_ms
FROM sip_trunk_contact WHERE owner_node = $1 AND expires_ms > $2;

-- name: contacts_expire
DELETE FROM sip_trunk_contact WHERE expires_ms <= $1;

-- name: trunk_use_put
INSERT INTO sip_trunk_use (owner_node, owner_epoch, tenant, trunk, calls) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (owner_node, owner_epoch, tenant, trunk) DO UPDATE SET calls = excluded.calls;

-- name: trunk_use_remove
-- Of this process and of dead ones.
DELETE FROM sip_trunk_use
WHERE (owner_node = $1 AND owner_epoch = $2)
  OR NOT EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = owner_node AND l.epoch = owner_epoch);

-- name: trunk_use_of_others
-- Tenant, trunk and calls at the other live servers; and, without a trunk, the number of live servers.
SELECT u.tenant, u.trunk, CAST(SUM(u.calls) AS BIGINT) FROM sip_trunk_use u
WHERE u.calls > 0 AND NOT (u.owner_node = $1 AND u.owner_epoch = $2)
  AND EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = u.owner_node AND l.epoch = u.owner_epoch)
GROUP BY u.tenant, u.trunk
UNION ALL
SELECT '', '', (SELECT COUNT(*) FROM core_live_node);

-- name: route_revs
SELECT tenant, domain, rev FROM sip_trunk_route_rev;

-- name: route_rows
SELECT v.rev, r.id, r.place, r.number, r.caller, r.target
FROM sip_trunk_route_rev v LEFT JOIN sip_trunk_route r ON r.tenant = v.tenant AND r.domain = v.domain
WHERE v.tenant = $1 AND v.domain = $2 ORDER BY r.place, r.id;

-- name: route_rev_add
INSERT INTO sip_trunk_route_rev (tenant, domain, rev) VALUES ($1, $2, 0) ON CONFLICT (tenant, domain) DO NOTHING;

-- name: route_rev_raise
-- notify
UPDATE sip_trunk_route_rev SET rev = rev + 1 WHERE tenant = $1 AND domain = $2 AND rev = $3;

-- name: route_add
INSERT INTO sip_trunk_route (tenant, domain, id, place, number, caller, target, number_key, caller_key, dup_no)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0);

-- name: route_change
UPDATE sip_trunk_route SET place = $4, target = $5 WHERE tenant = $1 AND domain = $2 AND id = $3;

-- name: route_remove
DELETE FROM sip_trunk_route WHERE tenant = $1 AND domain = $2 AND id = $3;
