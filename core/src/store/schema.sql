-- The core's tables and the statements on them. schema_registry.cpp holds the two on core_migration, because it needs them
-- before any owner is registered.

-- migration: 1
CREATE TABLE core_migration (
  owner TEXT NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL, applied_ms BIGINT NOT NULL,
  PRIMARY KEY (owner, number));
-- One row per start of a node in the last 30 days. Rows of other tables that name (node, epoch) are cleaned up in the node's next epoch.
CREATE TABLE core_node (
  id TEXT NOT NULL, epoch BIGINT NOT NULL, state TEXT NOT NULL,
  started_ms BIGINT NOT NULL, retired_ms BIGINT,
  PRIMARY KEY (id, epoch));
CREATE TABLE core_event (
  id {{ID}} PRIMARY KEY, topic TEXT NOT NULL, tenant TEXT NOT NULL, tenant_seq BIGINT NOT NULL,
  subject TEXT NOT NULL, correlation TEXT NOT NULL, ts_ms BIGINT NOT NULL, payload TEXT NOT NULL,
  unique_key TEXT UNIQUE);
CREATE INDEX core_event_by_tenant ON core_event (tenant, id);
CREATE TABLE core_tenant_seq (tenant TEXT PRIMARY KEY, seq BIGINT NOT NULL);
CREATE TABLE core_consumer (name TEXT PRIMARY KEY, patterns TEXT NOT NULL, registered_ms BIGINT NOT NULL);
CREATE TABLE core_pending (consumer TEXT NOT NULL, event_id BIGINT NOT NULL, PRIMARY KEY (consumer, event_id));
CREATE TABLE core_job (
  id {{ID}} PRIMARY KEY, kind TEXT NOT NULL, tenant TEXT NOT NULL, job_key TEXT NOT NULL,
  due_ms BIGINT NOT NULL, fence BIGINT NOT NULL, tries BIGINT NOT NULL, body TEXT NOT NULL);
CREATE UNIQUE INDEX core_job_by_key ON core_job (kind, job_key) WHERE job_key <> '';
CREATE INDEX core_job_by_due ON core_job (kind, due_ms);

-- migration: 2
-- Of a claimed job: the claiming node and the original due time. A node releases its own claims when it starts.
ALTER TABLE core_job ADD COLUMN held_by TEXT NOT NULL DEFAULT '';
ALTER TABLE core_job ADD COLUMN held_from_ms BIGINT NOT NULL DEFAULT 0;

-- migration: 3
-- For pruning: whether an event is pending, and its age by ts_ms, because ids do not follow a clock that is set back.
CREATE INDEX core_pending_by_event ON core_pending (event_id);
CREATE INDEX core_event_by_time ON core_event (ts_ms, id);
-- seen_ms: when its plugin last ran. forgotten: 1 while its pending rows are being removed.
ALTER TABLE core_consumer ADD COLUMN seen_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE core_consumer ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0;
UPDATE core_consumer SET seen_ms = {{NOW_MS}};
CREATE INDEX core_job_by_holder ON core_job (held_by) WHERE held_by <> '';

-- migration: 4
-- A tenant's log is read by its own numbers, which have no gaps, so a reader recognises events that were removed.
DROP INDEX core_event_by_tenant;
CREATE UNIQUE INDEX core_event_by_tenant_seq ON core_event (tenant, tenant_seq);

-- migration: 5
-- One row, which each transaction of a shared database locks first: so ids, events and commits have one order in all processes.
-- last_id: the last id given out. consumers_rev: raised by each change of a consumer, which the other processes read again then.
CREATE TABLE core_writer (id BIGINT PRIMARY KEY, last_id BIGINT NOT NULL, consumers_rev BIGINT NOT NULL);
INSERT INTO core_writer (id, last_id, consumers_rev) VALUES (1, 0, 0);
-- lease_until_ms: by the database's clock; changes with each renewal. last_commit: the number of the node's last
-- transaction. held_epoch: of the claiming node.
ALTER TABLE core_node ADD COLUMN lease_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE core_node ADD COLUMN last_commit BIGINT NOT NULL DEFAULT 0;
ALTER TABLE core_job ADD COLUMN held_epoch BIGINT NOT NULL DEFAULT 0;
CREATE INDEX core_node_live ON core_node (lease_until_ms) WHERE state = 'live';

-- migration: 6
-- The processes that are alive. The statements of every owner may read it, to find rows whose owner (node and epoch) is dead.
CREATE VIEW core_live_node AS SELECT id AS node, epoch FROM core_node WHERE state = 'live';

-- migration: 7
CREATE INDEX core_node_ended ON core_node (retired_ms) WHERE state <> 'live';

-- name: writer-turn
SELECT last_id, consumers_rev FROM core_writer WHERE id = 1 {{FOR_UPDATE}};

-- name: writer-done
UPDATE core_writer SET last_id = $1 WHERE id = 1;

-- name: consumers-changed
UPDATE core_writer SET consumers_rev = consumers_rev + 1 WHERE id = 1;

-- name: node-retire
UPDATE core_node SET state = 'retired', retired_ms = {{NOW_MS}} WHERE id = $1 AND state = 'live';

-- name: node-add
INSERT INTO core_node (id, epoch, state, started_ms, lease_until_ms)
SELECT $1, COALESCE(MAX(epoch), 0) + 1, 'live', {{NOW_MS}}, {{DATABASE_MS}} + $2 FROM core_node WHERE id = $1
RETURNING epoch;

-- Starts that ended long ago. What they owned belongs to other processes since.
-- name: nodes-forget
DELETE FROM core_node WHERE state <> 'live' AND retired_ms < {{NOW_MS}} - $1;

-- name: last-id
SELECT COALESCE(MAX(id), 0) FROM (SELECT MAX(id) AS id FROM core_event UNION ALL SELECT MAX(id) FROM core_job) AS both_ids;

-- Two statements instead of RETURNING, as with job-add. On PostgreSQL the lock of core_writer keeps others from between them.
-- name: tenant-seq
SELECT seq FROM core_tenant_seq WHERE tenant = $1;

-- name: tenant-seq-put
INSERT INTO core_tenant_seq (tenant, seq) VALUES ($1, $2) ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq;

-- name: event-add
INSERT INTO core_event (id, topic, tenant, tenant_seq, subject, correlation, ts_ms, payload, unique_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: last-event
SELECT COALESCE(MAX(id), 0) FROM core_event;

-- name: events-after
SELECT id, topic FROM core_event WHERE id > $1 ORDER BY id LIMIT $2;

-- name: event-log
SELECT id, topic, tenant, tenant_seq, subject, correlation, ts_ms, payload
FROM core_event WHERE id > $1 ORDER BY id LIMIT $2;

-- The last number that the tenant's log has given, and the oldest that it holds, in the columns of one more event with the
-- id 0; then the events: one statement, because two could see different commits.
-- name: event-log-of-tenant
SELECT 0 AS id, '' AS topic, '' AS tenant,
  COALESCE((SELECT seq FROM core_tenant_seq WHERE tenant = $1), 0) AS tenant_seq, '' AS subject, '' AS correlation,
  COALESCE((SELECT MIN(tenant_seq) FROM core_event WHERE tenant = $1), 0) AS ts_ms, '' AS payload
UNION ALL
SELECT * FROM (
  SELECT id, topic, tenant, tenant_seq, subject, correlation, ts_ms, payload
  FROM core_event WHERE tenant = $1 AND tenant_seq > $2 ORDER BY tenant_seq LIMIT $3) AS page;

-- The next events older than $1, after the cursor ($2, $3): one slice of pruning.
-- name: events-old
SELECT ts_ms, id FROM core_event WHERE ts_ms < $1 AND (ts_ms, id) > ($2, $3) ORDER BY ts_ms, id LIMIT $4;

-- name: event-prune
DELETE FROM core_event WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM core_pending p WHERE p.event_id = core_event.id);

-- name: consumers
SELECT name, patterns, registered_ms, seen_ms, forgotten FROM core_consumer ORDER BY name;

-- name: consumer-put
INSERT INTO core_consumer (name, patterns, registered_ms, seen_ms) VALUES ($1, $2, {{NOW_MS}}, {{NOW_MS}})
ON CONFLICT (name) DO UPDATE SET patterns = excluded.patterns, seen_ms = excluded.seen_ms, forgotten = 0;

-- name: consumer-seen
UPDATE core_consumer SET seen_ms = {{NOW_MS}} WHERE name = $1;

-- name: consumer-forget
UPDATE core_consumer SET forgotten = 1 WHERE name = $1;

-- name: consumer-remove
DELETE FROM core_consumer WHERE name = $1 AND forgotten = 1
  AND NOT EXISTS (SELECT 1 FROM core_pending p WHERE p.consumer = core_consumer.name);

-- name: pending-forget
DELETE FROM core_pending WHERE consumer = $1 AND event_id IN (
  SELECT event_id FROM core_pending WHERE consumer = $1 ORDER BY event_id LIMIT $2);

-- Each consumer, with the number of its pending events, counted up to $1, and when the oldest was emitted.
-- name: consumer-states
SELECT c.name, c.patterns, c.registered_ms, c.seen_ms, c.forgotten,
  (SELECT COUNT(*) FROM (SELECT 1 FROM core_pending p WHERE p.consumer = c.name LIMIT $1) AS counted),
  (SELECT e.ts_ms FROM core_event e
   WHERE e.id = (SELECT MIN(p.event_id) FROM core_pending p WHERE p.consumer = c.name))
FROM core_consumer c ORDER BY c.name;

-- name: pending-add
INSERT INTO core_pending (consumer, event_id) VALUES ($1, $2);

-- name: pending-ack
DELETE FROM core_pending WHERE consumer = $1 AND event_id = $2;

-- name: pending
SELECT e.id, e.topic, e.tenant, e.tenant_seq, e.subject, e.correlation, e.ts_ms, e.payload
FROM core_pending p JOIN core_event e ON e.id = p.event_id
WHERE p.consumer = $1 AND p.event_id > $2 ORDER BY p.event_id LIMIT $3;

-- name: job-find
SELECT id FROM core_job WHERE kind = $1 AND job_key = $2 AND job_key <> '';

-- Without RETURNING, for which SQLite opens a temporary table: job-find is cheaper.
-- name: job-add
INSERT INTO core_job (id, kind, tenant, job_key, due_ms, fence, tries, body) VALUES ($1, $2, $3, $4, $5, 0, 0, $6)
ON CONFLICT (kind, job_key) WHERE job_key <> '' DO UPDATE SET
  tenant = excluded.tenant, due_ms = excluded.due_ms, fence = core_job.fence + 1, tries = 0, body = excluded.body,
  held_by = '';

-- name: job-cancel
DELETE FROM core_job WHERE kind = $1 AND job_key = $2 AND job_key <> '';

-- name: job-done
DELETE FROM core_job WHERE id = $1 AND fence = $2 AND substr(kind, 1, length($3)) = $3;

-- name: job-retry
UPDATE core_job SET due_ms = $3, held_by = '' WHERE id = $1 AND fence = $2 AND substr(kind, 1, length($4)) = $4
RETURNING kind;

-- name: jobs-due
SELECT id, tenant, job_key, due_ms, fence, tries
FROM core_job WHERE kind = $1 AND due_ms <= $2 ORDER BY due_ms, id LIMIT $3 {{SKIP_LOCKED}};

-- name: job-claim
UPDATE core_job SET due_ms = $3, fence = fence + 1, tries = tries + 1, held_by = $4, held_epoch = $5, held_from_ms = due_ms
WHERE id = $1 AND fence = $2 RETURNING body;

-- name: jobs-give-back
UPDATE core_job SET due_ms = held_from_ms, held_by = '' WHERE held_by = $1 AND held_by <> '';

-- name: node-renew
UPDATE core_node SET lease_until_ms = {{DATABASE_MS}} + $3, state = 'live' WHERE id = $1 AND epoch = $2;

-- The other nodes that are not known to be dead.
-- name: nodes-live
SELECT id, epoch, lease_until_ms FROM core_node WHERE state = 'live' AND id <> $1;

-- A node whose process is dead, unless it has renewed its lease or another process was first.
-- name: node-bury
UPDATE core_node SET state = 'dead', retired_ms = {{NOW_MS}}
WHERE id = $1 AND epoch = $2 AND state = 'live' AND lease_until_ms = $3;

-- name: jobs-give-back-of-epoch
UPDATE core_job SET due_ms = held_from_ms, held_by = '' WHERE held_by = $1 AND held_by <> '' AND held_epoch = $2;

-- name: next-due
SELECT MIN(due_ms) FROM core_job WHERE kind = $1;

-- The first due time of each kind. Two searches of the index per kind, because GROUP BY would read all jobs.
-- name: next-due-of-kinds
WITH RECURSIVE core_kind (kind) AS (
  SELECT MIN(kind) FROM core_job
  UNION ALL
  SELECT (SELECT MIN(j.kind) FROM core_job j WHERE j.kind > core_kind.kind) FROM core_kind WHERE kind IS NOT NULL)
SELECT kind, (SELECT MIN(j.due_ms) FROM core_job j WHERE j.kind = core_kind.kind) FROM core_kind WHERE kind IS NOT NULL;
