// openid-client as a third-party client of two tenants: openid_client.mjs PORT SECRETS, with SECRETS as JSON, by user name.
import assert from "node:assert/strict";
import http from "node:http";
import { Issuer, custom, errors, generators } from "openid-client";

const port = Number(process.argv[2]);
const secrets = JSON.parse(process.argv[3]);
const back = "https://portal.example/cb";
const bye = "https://portal.example/bye";

// Connects to the server under test, whichever tenant's host a URL has. Each tenant is asked from another address, because wrong
// passwords and tokens are counted by address.
let from = 1;
class Agent extends http.Agent {
  createConnection(options, done) {
    return super.createConnection({ ...options, host: "127.0.0.1", port, localAddress: `127.0.0.${from}` }, done);
  }
}
const agent = new Agent({ keepAlive: false });
custom.setHttpOptionsDefaults({ agent, timeout: 60000 });

// A browser without scripts: keeps cookies, and does not follow redirects to the client.
class Browser {
  cookies = new Map();

  ask(url, form) {
    const body = form ? new URLSearchParams(form).toString() : undefined;
    const headers = { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    if (body) headers["content-type"] = "application/x-www-form-urlencoded";
    return new Promise((resolve, reject) => {
      const request = http.request(url, { agent, method: body ? "POST" : "GET", headers, timeout: 60000 }, (response) => {
        for (const cookie of response.headers["set-cookie"] ?? []) {
          const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/);
          if (value) this.cookies.set(name, value);
          else this.cookies.delete(name);
        }
        let page = "";
        response.setEncoding("utf8").on("data", (part) => (page += part));
        response.on("end", () => resolve({ status: response.statusCode, location: response.headers.location, headers: response.headers, page }));
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  async signIn(url, username) {
    const shown = await this.ask(url);
    assert.equal(shown.status, 200, shown.page);
    assert.match(shown.headers["content-security-policy"], /default-src 'none'/);
    const [, ticket] = shown.page.match(/name="ticket" value="([^"]+)"/);
    return this.ask(url.replace(/\?.*/, ""), { ticket, username, password: secrets[username] });
  }
}

const refused = (error) => (problem) => problem instanceof errors.OPError && problem.error === error;

async function passwordGrant(client, username) {
  const tokens = await client.grant({ grant_type: "password", username, password: secrets[username], scope: "openid offline_access" });
  const next = await client.refresh(tokens); // compares sub and aud of both id_tokens
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  assert.equal(next.claims().preferred_username, username);
  await assert.rejects(client.refresh(tokens.refresh_token), refused("invalid_grant"));
  await assert.rejects(client.refresh(next.refresh_token), refused("invalid_grant")); // the reuse has ended the family
  await assert.rejects(client.grant({ grant_type: "password", username, password: "wrong" }), refused("invalid_grant"));
}

// Returns the parameters that the client needs to exchange the code.
function request(client, more = {}) {
  const checks = { code_verifier: generators.codeVerifier(), state: generators.state(), nonce: generators.nonce(), response_type: "code" };
  const url = client.authorizationUrl({
    scope: "openid offline_access", state: checks.state, nonce: checks.nonce,
    code_challenge: generators.codeChallenge(checks.code_verifier), code_challenge_method: "S256", ...more,
  });
  return { checks, url };
}

async function codeGrant(client, browser, username) {
  const { checks, url } = request(client, { max_age: 3600 });
  const sent = await browser.signIn(url, username);
  assert.equal(sent.status, 303, sent.page);
  const parameters = client.callbackParams(sent.location);
  assert.equal(parameters.iss, client.issuer.issuer);
  await assert.rejects(client.callback(back, parameters, { ...checks, code_verifier: generators.codeVerifier() }), refused("invalid_grant"));
  const tokens = await client.callback(back, parameters, { ...checks, max_age: 3600 });
  const user = await client.userinfo(tokens); // compares sub with the id_token
  assert.equal(user.preferred_username, username);
  assert.equal(user.tenant, new URL(client.issuer.issuer).hostname);
  return { tokens, replay: () => client.callback(back, parameters, checks) };
}

async function silent(client, browser) {
  const { checks, url } = request(client, { prompt: "none" });
  const sent = await browser.ask(url);
  return client.callback(back, client.callbackParams(sent.location), checks);
}

async function tenant(host, username) {
  ++from;
  const issuer = await Issuer.discover(`http://${host}`);
  assert.equal(issuer.issuer, `http://${host}`);
  for (const [name, value] of Object.entries(issuer.metadata))
    if (name.endsWith("_endpoint") || name === "jwks_uri") assert.ok(value.startsWith(`http://${host}/`), `${name} is ${value}`);
  const client = new issuer.Client({
    client_id: "portal", redirect_uris: [back], post_logout_redirect_uris: [bye], response_types: ["code"],
    token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256",
  });
  await passwordGrant(client, username);

  const browser = new Browser();
  const first = await codeGrant(client, browser, username);
  const second = await silent(client, browser);
  assert.equal(second.claims().sub, first.tokens.claims().sub);
  assert.equal(second.claims().auth_time, first.tokens.claims().auth_time);

  await client.revoke(second.refresh_token, "refresh_token");
  await assert.rejects(client.refresh(second.refresh_token), refused("invalid_grant"));
  await assert.rejects(client.userinfo(second.access_token), refused("invalid_token"));
  await client.revoke("unknown");
  await client.userinfo(first.tokens);

  await assert.rejects(first.replay(), refused("invalid_grant")); // and it ends the tokens of the first use
  await assert.rejects(client.userinfo(first.tokens), refused("invalid_token"));

  const third = await silent(client, browser);
  const out = await browser.ask(client.endSessionUrl({ id_token_hint: third, post_logout_redirect_uri: bye, state: "s" }));
  assert.equal(out.location, `${bye}?state=s`);
  await assert.rejects(client.userinfo(third), refused("invalid_token"));
  await assert.rejects(client.refresh(third), refused("invalid_grant"));
  await assert.rejects(silent(client, browser), refused("login_required"));
  return client;
}

const [primary, other] = [await tenant("localhost", "alice"), await tenant("other.example", "carol")];

// A session and a code of one tenant are worth nothing at another.
++from;
const browser = new Browser();
const { checks, url } = request(primary);
const sent = await browser.signIn(url, "bob");
await assert.rejects(other.callback(back, { ...other.callbackParams(sent.location), iss: other.issuer.issuer }, checks), refused("invalid_grant"));
await assert.rejects(silent(other, browser), refused("login_required"));
await assert.rejects(other.grant({ grant_type: "password", username: "bob", password: secrets.bob }), refused("invalid_grant"));
console.log("done");
