-- migration: 1
CREATE TABLE webhooks_subscription (
  id TEXT NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL,
  from_config BIGINT NOT NULL, active BIGINT NOT NULL, failures BIGINT NOT NULL,
  created_ms BIGINT NOT NULL, created_by TEXT NOT NULL, last_fired_ms BIGINT, rev BIGINT NOT NULL);

-- A delivery is signed with the secret that was current when its event happened, so earlier ones are kept for a time.
CREATE TABLE webhooks_secret (
  subscription TEXT NOT NULL, rev BIGINT NOT NULL, since_ms BIGINT NOT NULL, sealed {{BYTES}} NOT NULL,
  PRIMARY KEY (subscription, rev));

-- The body of an event's deliveries, written once and sent unchanged.
CREATE TABLE webhooks_body (event TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, event_ms BIGINT NOT NULL);

-- attempt: attempts so far. seq: the position of the event in the log.
CREATE TABLE webhooks_delivery (
  id TEXT NOT NULL PRIMARY KEY, subscription TEXT NOT NULL, event TEXT NOT NULL, seq BIGINT NOT NULL,
  topic TEXT NOT NULL, subject TEXT NOT NULL, event_ms BIGINT NOT NULL, secret_rev BIGINT NOT NULL,
  state TEXT NOT NULL, attempt BIGINT NOT NULL, due_ms BIGINT NOT NULL,
  status BIGINT NOT NULL, error TEXT NOT NULL, done_ms BIGINT);
CREATE INDEX webhooks_delivery_due ON webhooks_delivery (subscription, due_ms, seq) WHERE state = 'pending';
CREATE INDEX webhooks_delivery_list ON webhooks_delivery (subscription, event_ms, id);
CREATE INDEX webhooks_delivery_done ON webhooks_delivery (done_ms) WHERE done_ms IS NOT NULL;
CREATE INDEX webhooks_delivery_event ON webhooks_delivery (event);

-- migration: 2
ALTER TABLE webhooks_delivery ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
UPDATE webhooks_delivery SET tenant = COALESCE(
  (SELECT s.tenant FROM webhooks_subscription s WHERE s.id = webhooks_delivery.subscription), '');

-- migration: 3
CREATE INDEX webhooks_body_age ON webhooks_body (event_ms);

-- migration: 4
-- Raised by each change of subscriptions, which other servers on the database then read again.
CREATE TABLE webhooks_revision (domain TEXT NOT NULL PRIMARY KEY, rev BIGINT NOT NULL);
INSERT INTO webhooks_revision (domain, rev) VALUES ('subscriptions', 0);
-- Which start of the plugin in which server process sends the deliveries of a subscription. Without a row: none yet.
CREATE TABLE webhooks_lane (
  subscription TEXT NOT NULL PRIMARY KEY, owner_run BIGINT NOT NULL, owner_node TEXT NOT NULL, owner_epoch BIGINT NOT NULL);

-- name: revisions
SELECT domain, rev FROM webhooks_revision;

-- name: revision_raise
-- notify
UPDATE webhooks_revision SET rev = rev + 1 WHERE domain = $1;

-- Takes the lane if it has no owner, or a dead one: another run of this very process, or a process that is not alive.
-- name: lane-take
INSERT INTO webhooks_lane (subscription, owner_run, owner_node, owner_epoch) VALUES ($1, $2, $3, $4)
ON CONFLICT (subscription) DO UPDATE SET owner_run = $2, owner_node = $3, owner_epoch = $4
WHERE webhooks_lane.owner_run = $2 OR (webhooks_lane.owner_node = $3 AND webhooks_lane.owner_epoch = $4)
  OR NOT EXISTS (SELECT 1 FROM core_live_node l
                 WHERE l.node = webhooks_lane.owner_node AND l.epoch = webhooks_lane.owner_epoch);

-- The subscriptions with a lane or with deliveries that are due; who has the lane: 1: this run, 2: another live one, 0: none;
-- and whether deliveries are due.
-- name: lanes-read
SELECT s.id,
  CASE WHEN o.owner_run IS NULL THEN 0 WHEN o.owner_run = $2 THEN 1
    WHEN o.owner_node = $3 AND o.owner_epoch = $4 THEN 0
    WHEN EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = o.owner_node AND l.epoch = o.owner_epoch) THEN 2
    ELSE 0 END,
  CASE WHEN EXISTS (SELECT 1 FROM webhooks_delivery d
                    WHERE d.subscription = s.id AND d.state = 'pending' AND d.due_ms <= $1) THEN 1 ELSE 0 END
FROM webhooks_subscription s LEFT JOIN webhooks_lane o ON o.subscription = s.id;

-- name: lane-remove
DELETE FROM webhooks_lane WHERE subscription = $1;

-- name: subscriptions
SELECT id, tenant, url, events, from_config, active, failures, created_ms, created_by, last_fired_ms, rev
FROM webhooks_subscription ORDER BY created_ms, id;

-- name: secrets
SELECT subscription, rev, since_ms, sealed FROM webhooks_secret ORDER BY subscription, rev;

-- name: subscription-add
INSERT INTO webhooks_subscription
  (id, tenant, url, events, from_config, active, failures, created_ms, created_by, last_fired_ms, rev)
VALUES ($1, $2, $3, $4, $5, 1, 0, $6, $7, NULL, 1);

-- $7: what active was; -1: any.
-- name: subscription-change
UPDATE webhooks_subscription
SET url = $3, events = $4, active = $5, failures = CASE WHEN $5 > active THEN 0 ELSE failures END, rev = rev + 1
WHERE id = $1 AND rev = $2 AND tenant = $6 AND (active = $7 OR $7 < 0)
RETURNING failures;

-- Only the revision $3 and active = $4; -1: any.
-- name: subscription-remove
DELETE FROM webhooks_subscription
WHERE id = $1 AND tenant = $2 AND (rev = $3 OR $3 < 0) AND (active = $4 OR $4 < 0);

-- name: subscription-touch
UPDATE webhooks_subscription SET rev = rev + 1 WHERE id = $1 AND rev = $2 AND tenant = $3;

-- name: subscription-succeeded
UPDATE webhooks_subscription SET failures = 0, last_fired_ms = $2 WHERE id = $1;

-- name: subscription-failed
UPDATE webhooks_subscription
SET failures = failures + 1, active = CASE WHEN failures + 1 >= $2 THEN 0 ELSE active END
WHERE id = $1
RETURNING failures, active;

-- name: secret-add
INSERT INTO webhooks_secret (subscription, rev, since_ms, sealed) VALUES ($1, $2, $3, $4);

-- name: secrets-remove
DELETE FROM webhooks_secret WHERE subscription = $1;

-- name: body-add
INSERT INTO webhooks_body (event, body, event_ms) VALUES ($1, $2, $3) ON CONFLICT (event) DO NOTHING;

-- name: delivery-add
-- For a subscription that is still there: a deletion may commit between the look at the registry and this.
INSERT INTO webhooks_delivery
  (id, subscription, event, seq, topic, subject, event_ms, secret_rev, state, attempt, due_ms, status, error, done_ms,
   tenant)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, 'pending', 0, $7, 0, '', NULL, $9
WHERE EXISTS (SELECT 1 FROM webhooks_subscription WHERE id = $2)
ON CONFLICT (id) DO NOTHING;

-- name: lanes
SELECT DISTINCT subscription FROM webhooks_delivery WHERE state = 'pending';

-- Of a paused subscription ($2 = 0) only webhook.test.
-- name: deliveries-pending
SELECT id, seq, topic, subject, secret_rev, attempt, due_ms, event
FROM webhooks_delivery
WHERE subscription = $1 AND state = 'pending' AND ($2 = 1 OR topic = 'webhook.test')
ORDER BY due_ms, seq LIMIT $3;

-- name: body
SELECT body FROM webhooks_body WHERE event = $1;

-- name: delivery-retry
UPDATE webhooks_delivery SET attempt = $2, due_ms = $3, status = $4, error = $5
WHERE id = $1 AND state = 'pending';

-- name: delivery-end
UPDATE webhooks_delivery SET state = $2, attempt = $3, status = $4, error = $5, done_ms = $6
WHERE id = $1 AND state = 'pending';

-- name: delivery-resend
UPDATE webhooks_delivery SET state = 'pending', attempt = 0, due_ms = $3, status = 0, error = '', done_ms = NULL
WHERE id = $1 AND subscription = $2 AND tenant = $4 AND state <> 'pending'
RETURNING topic;

-- name: deliveries-count
SELECT COUNT(*) FROM webhooks_delivery WHERE subscription = $1 AND tenant = $2;

-- Those before ($5, $6).
-- name: deliveries-list
SELECT id, topic, state, attempt, event_ms, due_ms, status, error, done_ms
FROM webhooks_delivery WHERE subscription = $1 AND tenant = $2 AND (event_ms, id) < ($5, $6)
ORDER BY event_ms DESC, id DESC LIMIT $3 OFFSET $4;

-- name: deliveries-remove
DELETE FROM webhooks_delivery WHERE subscription = $1 AND tenant = $2;

-- For the metrics.
-- name: backlog
SELECT COUNT(*), MIN(due_ms) FROM webhooks_delivery WHERE state = 'pending';

-- Expires the deliveries that a paused subscription did not get in time.
-- name: sweep-paused
UPDATE webhooks_delivery SET state = 'expired', done_ms = $2
WHERE id IN (
  SELECT d.id FROM webhooks_delivery d JOIN webhooks_subscription s ON s.id = d.subscription
  WHERE s.active = 0 AND d.state = 'pending' AND d.event_ms < $1 AND d.due_ms < $1 LIMIT $3)
RETURNING id;

-- name: sweep-done
DELETE FROM webhooks_delivery
WHERE id IN (SELECT id FROM webhooks_delivery WHERE done_ms < $1 LIMIT $2)
RETURNING id;

-- name: sweep-bodies
DELETE FROM webhooks_body
WHERE event IN (
  SELECT b.event FROM webhooks_body b
  WHERE b.event_ms < $1 AND NOT EXISTS (SELECT 1 FROM webhooks_delivery d WHERE d.event = b.event) LIMIT $2)
RETURNING event;

-- name: sweep-secrets
DELETE FROM webhooks_secret
WHERE rev < (SELECT MAX(n.rev) FROM webhooks_secret n
               WHERE n.subscription = webhooks_secret.subscription AND n.since_ms < $1)
  AND NOT EXISTS (SELECT 1 FROM webhooks_delivery d
                  WHERE d.subscription = webhooks_secret.subscription AND d.secret_rev = webhooks_secret.rev);
