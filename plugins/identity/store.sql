-- migration: 1
CREATE TABLE identity_signing_key (
  seq BIGINT NOT NULL PRIMARY KEY,
  kid TEXT NOT NULL,
  sealed {{BYTES}} NOT NULL,
  created_ms BIGINT NOT NULL
);
CREATE TABLE identity_refresh (
  hash TEXT NOT NULL PRIMARY KEY,
  family TEXT NOT NULL,
  tenant TEXT NOT NULL,
  username TEXT NOT NULL,
  client_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  proof TEXT NOT NULL,     -- keyed hash of the user's password (RefreshTokens::credential_hash)
  expires_ms BIGINT NOT NULL,
  used_ms BIGINT NOT NULL
);
CREATE INDEX identity_refresh_family ON identity_refresh (family);
CREATE INDEX identity_refresh_expires ON identity_refresh (expires_ms);
CREATE TABLE identity_api_key (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  created_by TEXT NOT NULL
);
CREATE INDEX identity_api_key_tenant ON identity_api_key (tenant, created_ms, id);

-- migration: 2
-- born_ms: when the user signed in; 0 in rows of version 1.
ALTER TABLE identity_refresh ADD COLUMN born_ms BIGINT NOT NULL DEFAULT 0;
UPDATE identity_api_key SET name = name || ' ' || id
WHERE EXISTS (SELECT 1 FROM identity_api_key other WHERE other.tenant = identity_api_key.tenant
                AND other.name = identity_api_key.name AND other.id < identity_api_key.id);
CREATE UNIQUE INDEX identity_api_key_name ON identity_api_key (tenant, name);

-- migration: 3
-- Users that admins create (source 'store'). Rows with source 'config' have no more than the session number
-- and the SIP password of a configured user. Rows of removed users stay for a week, so that the other
-- processes of the database see the removal; rev orders the changes.
CREATE TABLE identity_user (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  subject TEXT NOT NULL,
  display_name TEXT NOT NULL,
  role TEXT NOT NULL,
  disabled SMALLINT NOT NULL,
  password_hash TEXT NOT NULL,
  sessions BIGINT NOT NULL,   -- raised to end all tokens of the user
  sip_password {{BYTES}},     -- sealed
  created_ms BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  removed_ms BIGINT NOT NULL,
  rev BIGINT NOT NULL,
  PRIMARY KEY (tenant, name, source)
);
CREATE INDEX identity_user_rev ON identity_user (rev);
CREATE INDEX identity_user_removed ON identity_user (removed_ms) WHERE removed_ms > 0;
CREATE INDEX identity_user_admins ON identity_user (tenant, name) WHERE role = 'admin' AND disabled = 0 AND removed_ms = 0;
-- The number of changes per kind of row; processes poll it.
CREATE TABLE identity_revision (
  domain TEXT NOT NULL PRIMARY KEY,
  rev BIGINT NOT NULL
);
INSERT INTO identity_revision (domain, rev) VALUES ('users', 0);

-- migration: 4
-- state: 'current' signs, 'next' will (it is published before), 'retired' verifies until verify_until_ms.
-- lifetime_sec: of the longest token that the key has signed, so far as is known.
ALTER TABLE identity_signing_key ADD COLUMN state TEXT NOT NULL DEFAULT 'current';
ALTER TABLE identity_signing_key ADD COLUMN lifetime_sec BIGINT NOT NULL DEFAULT 86400;
ALTER TABLE identity_signing_key ADD COLUMN verify_until_ms BIGINT NOT NULL DEFAULT 0;
CREATE TABLE identity_secret (
  name TEXT NOT NULL PRIMARY KEY,
  sealed {{BYTES}} NOT NULL
);
INSERT INTO identity_revision (domain, rev) VALUES ('keys', 0);

-- migration: 5
-- Sign-ins at the login page. hash: of the cookie; sid: in tokens; proof: as in identity_refresh.
CREATE TABLE identity_session (
  hash TEXT NOT NULL PRIMARY KEY,
  sid TEXT NOT NULL,
  tenant TEXT NOT NULL,
  username TEXT NOT NULL,
  proof TEXT NOT NULL,
  signed_in_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL
);
CREATE INDEX identity_session_sid ON identity_session (sid);
CREATE INDEX identity_session_user ON identity_session (tenant, username, signed_in_ms);
CREATE INDEX identity_session_expires ON identity_session (expires_ms);
-- Authorization codes. Used ones stay for a while, so that a second use is noticed.
CREATE TABLE identity_code (
  hash TEXT NOT NULL PRIMARY KEY,
  family TEXT NOT NULL,
  sid TEXT NOT NULL,
  tenant TEXT NOT NULL,
  username TEXT NOT NULL,
  client_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  proof TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  nonce TEXT NOT NULL,
  signed_in_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  used_ms BIGINT NOT NULL
);
CREATE INDEX identity_code_user ON identity_code (tenant, username, created_ms);
CREATE INDEX identity_code_created ON identity_code (created_ms);
-- sid: '' without a session.
ALTER TABLE identity_refresh ADD COLUMN sid TEXT NOT NULL DEFAULT '';
CREATE INDEX identity_refresh_sid ON identity_refresh (sid) WHERE sid <> '';
-- Ids of access tokens (jti), families and sessions (sid), until the last token with one has expired.
CREATE TABLE identity_revoked (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  expires_ms BIGINT NOT NULL,
  rev BIGINT NOT NULL
);
CREATE INDEX identity_revoked_rev ON identity_revoked (rev, id);
CREATE INDEX identity_revoked_expires ON identity_revoked (expires_ms);
INSERT INTO identity_revision (domain, rev) VALUES ('revoked', 0);

-- name: signing_keys
SELECT kid, sealed, state, created_ms, verify_until_ms FROM identity_signing_key ORDER BY seq DESC;

-- name: signing_key_add
INSERT INTO identity_signing_key (seq, kid, sealed, created_ms, state, lifetime_sec)
VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT (seq) DO NOTHING;

-- name: signing_key_add_next
INSERT INTO identity_signing_key (seq, kid, sealed, created_ms, state, lifetime_sec)
SELECT MAX(seq) + 1, $1, $2, $3, 'next', 0 FROM identity_signing_key;

-- name: signing_key_retire
UPDATE identity_signing_key SET
  state = 'retired', verify_until_ms = $2 + 1000 * (CASE WHEN lifetime_sec > $3 THEN lifetime_sec ELSE $3 END)
WHERE kid = $1 AND state = 'current';

-- name: signing_key_promote
UPDATE identity_signing_key SET state = 'current' WHERE state = 'next';

-- name: signing_key_lifetime
UPDATE identity_signing_key SET lifetime_sec = $2 WHERE kid = $1 AND lifetime_sec < $2;

-- name: signing_key_expire
DELETE FROM identity_signing_key WHERE state = 'retired' AND verify_until_ms <= $1;

-- name: secret
SELECT sealed FROM identity_secret WHERE name = $1;

-- name: secret_add
INSERT INTO identity_secret (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING;

-- name: refresh_get
SELECT family, username, client_id, scope, proof, expires_ms, used_ms, born_ms, sid
FROM identity_refresh WHERE hash = $1 AND tenant = $2;

-- name: refresh_add
INSERT INTO identity_refresh (hash, family, tenant, username, client_id, scope, proof, expires_ms, used_ms, born_ms, sid)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10);

-- name: refresh_use
UPDATE identity_refresh SET used_ms = $2 WHERE hash = $1 AND used_ms = 0 AND tenant = $3;

-- name: refresh_revoke_family
DELETE FROM identity_refresh WHERE family = $1 AND tenant = $2;

-- name: refresh_revoke_session
DELETE FROM identity_refresh WHERE sid = $1 AND sid <> '' AND tenant = $2;

-- name: refresh_expire
DELETE FROM identity_refresh WHERE expires_ms <= $1;

-- name: session_get
SELECT sid, username, proof, signed_in_ms, expires_ms FROM identity_session WHERE hash = $1 AND tenant = $2;

-- name: session_add
INSERT INTO identity_session (hash, sid, tenant, username, proof, signed_in_ms, expires_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: session_remove
DELETE FROM identity_session WHERE hash = $1 AND tenant = $2;

-- name: session_remove_sid
DELETE FROM identity_session WHERE sid = $1 AND tenant = $2;

-- name: session_trim
-- Keeps the newest $3 sessions of the user.
DELETE FROM identity_session WHERE tenant = $1 AND username = $2 AND signed_in_ms <= (
  SELECT signed_in_ms FROM identity_session WHERE tenant = $1 AND username = $2
  ORDER BY signed_in_ms DESC LIMIT 1 OFFSET $3);

-- name: session_expire
DELETE FROM identity_session WHERE expires_ms <= $1;

-- name: code_get
SELECT family, sid, username, client_id, scope, proof, redirect_uri, challenge, nonce, signed_in_ms, created_ms,
       used_ms
FROM identity_code WHERE hash = $1 AND tenant = $2;

-- name: code_add
INSERT INTO identity_code (hash, family, sid, tenant, username, client_id, scope, proof, redirect_uri, challenge,
                           nonce, signed_in_ms, created_ms, used_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0);

-- name: code_use
UPDATE identity_code SET used_ms = $2 WHERE hash = $1 AND used_ms = 0 AND tenant = $3;

-- name: code_trim
-- Keeps the newest $3 codes of the user.
DELETE FROM identity_code WHERE tenant = $1 AND username = $2 AND created_ms <= (
  SELECT created_ms FROM identity_code WHERE tenant = $1 AND username = $2
  ORDER BY created_ms DESC LIMIT 1 OFFSET $3);

-- name: code_expire
DELETE FROM identity_code WHERE created_ms <= $1;

-- name: revoked_since
SELECT id, expires_ms, rev, tenant FROM identity_revoked WHERE (rev, id) > ($1, $2) ORDER BY rev, id LIMIT 500;

-- name: revoked_add
INSERT INTO identity_revoked (id, tenant, expires_ms, rev)
VALUES ($1, $2, $3, (SELECT rev FROM identity_revision WHERE domain = 'revoked'))
ON CONFLICT (id) DO NOTHING;

-- name: revoked_expire
DELETE FROM identity_revoked WHERE expires_ms <= $1;

-- name: key_add
INSERT INTO identity_api_key (id, tenant, name, hash, hint, created_ms, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: key_find
SELECT id, tenant, name FROM identity_api_key WHERE hash = $1;

-- name: key_list
SELECT id, tenant, name, hint, created_ms, created_by
FROM identity_api_key WHERE tenant = $1 ORDER BY created_ms, id;

-- name: key_get
SELECT id, tenant, name, hint, created_ms, created_by FROM identity_api_key WHERE id = $1 AND tenant = $2;

-- name: key_remove
DELETE FROM identity_api_key WHERE id = $1 AND tenant = $2;

-- name: revisions
SELECT domain, rev FROM identity_revision;

-- name: revision_raise
-- notify
UPDATE identity_revision SET rev = rev + 1 WHERE domain = $1;

-- name: users_since
SELECT tenant, name, source, subject, display_name, role, disabled, password_hash, sessions, sip_password,
       created_ms, created_by, removed_ms, rev
FROM identity_user WHERE rev > $1 ORDER BY rev LIMIT 500;

-- name: user_add
INSERT INTO identity_user (tenant, name, source, subject, display_name, role, disabled, password_hash, sessions,
                           sip_password, created_ms, created_by, removed_ms, rev)
VALUES ($1, $2, 'store', $3, $4, $5, $6, $7, 1, $8, $9, $10, 0,
        (SELECT rev FROM identity_revision WHERE domain = 'users'))
ON CONFLICT (tenant, name, source) DO UPDATE SET
  subject = excluded.subject, display_name = excluded.display_name, role = excluded.role,
  disabled = excluded.disabled, password_hash = excluded.password_hash, sip_password = excluded.sip_password,
  sessions = identity_user.sessions + 1, created_ms = excluded.created_ms, created_by = excluded.created_by,
  removed_ms = 0, rev = excluded.rev
WHERE identity_user.removed_ms > 0;

-- name: user_change
-- The last condition keeps the tenant's last enabled admin, unless $6 is 1.
UPDATE identity_user SET
  display_name = COALESCE($3, display_name), role = COALESCE($4, role), disabled = COALESCE($5, disabled),
  sessions = sessions + CASE WHEN COALESCE($4, role) <> role OR COALESCE($5, disabled) > disabled THEN 1 ELSE 0 END,
  rev = (SELECT rev FROM identity_revision WHERE domain = 'users')
WHERE tenant = $1 AND name = $2 AND source = 'store' AND removed_ms = 0
  AND ($6 = 1 OR role <> 'admin' OR disabled = 1
       OR (COALESCE($4, role) = 'admin' AND COALESCE($5, disabled) = 0)
       OR EXISTS (SELECT 1 FROM identity_user other WHERE other.tenant = $1 AND other.name <> $2
                  AND other.role = 'admin' AND other.disabled = 0 AND other.removed_ms = 0));

-- name: user_remove
-- The last condition keeps the tenant's last enabled admin, unless $4 is 1.
UPDATE identity_user SET
  removed_ms = $3, password_hash = '', sip_password = NULL, sessions = sessions + 1,
  rev = (SELECT rev FROM identity_revision WHERE domain = 'users')
WHERE tenant = $1 AND name = $2 AND source = 'store' AND removed_ms = 0
  AND ($4 = 1 OR role <> 'admin' OR disabled = 1
       OR EXISTS (SELECT 1 FROM identity_user other WHERE other.tenant = $1 AND other.name <> $2
                  AND other.role = 'admin' AND other.disabled = 0 AND other.removed_ms = 0));

-- name: user_password
UPDATE identity_user SET
  password_hash = $3, sessions = sessions + 1, rev = (SELECT rev FROM identity_revision WHERE domain = 'users')
WHERE tenant = $1 AND name = $2 AND source = 'store' AND removed_ms = 0;

-- name: user_end_sessions
UPDATE identity_user SET
  sessions = sessions + 1, rev = (SELECT rev FROM identity_revision WHERE domain = 'users')
WHERE tenant = $1 AND name = $2 AND source = 'store' AND removed_ms = 0;

-- name: user_sip_password
UPDATE identity_user SET
  sip_password = $3, rev = (SELECT rev FROM identity_revision WHERE domain = 'users')
WHERE tenant = $1 AND name = $2 AND source = 'store' AND removed_ms = 0;

-- name: configured_end_sessions
INSERT INTO identity_user (tenant, name, source, subject, display_name, role, disabled, password_hash, sessions,
                           sip_password, created_ms, created_by, removed_ms, rev)
VALUES ($1, $2, 'config', '', '', '', 0, '', 1, NULL, $3, '', 0,
        (SELECT rev FROM identity_revision WHERE domain = 'users'))
ON CONFLICT (tenant, name, source) DO UPDATE SET sessions = identity_user.sessions + 1, rev = excluded.rev;

-- name: configured_sip_password
INSERT INTO identity_user (tenant, name, source, subject, display_name, role, disabled, password_hash, sessions,
                           sip_password, created_ms, created_by, removed_ms, rev)
VALUES ($1, $2, 'config', '', '', '', 0, '', 0, $3, $4, '', 0,
        (SELECT rev FROM identity_revision WHERE domain = 'users'))
ON CONFLICT (tenant, name, source) DO UPDATE SET sip_password = excluded.sip_password, rev = excluded.rev;

-- name: users_expire
DELETE FROM identity_user WHERE removed_ms > 0 AND removed_ms <= $1;
