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

-- name: signing_keys
SELECT kid, sealed FROM identity_signing_key ORDER BY seq DESC;

-- name: add_first_signing_key
INSERT INTO identity_signing_key (seq, kid, sealed, created_ms) VALUES (1, $1, $2, $3)
ON CONFLICT (seq) DO NOTHING;

-- name: refresh_get
SELECT family, username, client_id, scope, proof, expires_ms, used_ms, born_ms
FROM identity_refresh WHERE hash = $1 AND tenant = $2;

-- name: refresh_add
INSERT INTO identity_refresh (hash, family, tenant, username, client_id, scope, proof, expires_ms, used_ms, born_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9);

-- name: refresh_use
UPDATE identity_refresh SET used_ms = $2 WHERE hash = $1 AND used_ms = 0 AND tenant = $3;

-- name: refresh_revoke_family
DELETE FROM identity_refresh WHERE family = $1 AND tenant = $2;

-- name: refresh_expire
DELETE FROM identity_refresh WHERE expires_ms <= $1;

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
