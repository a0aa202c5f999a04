// The first call with a client whose types openapi-typescript made of /openapi.json: it compiles only if the document has the
// operations and members that the specification names.
// node first_call.js BASE_URL USERNAME PASSWORD
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";

const [baseUrl, username, password] = process.argv.slice(2);

function fail(what: string, error: unknown): never {
  console.error(what, JSON.stringify(error));
  process.exit(1);
}

const form = new URLSearchParams({
  grant_type: "password", client_id: "patchbay-admin", username, password, scope: "openid",
});
const signIn = await fetch(`${baseUrl}/oidc.ashx/token`, { method: "POST", body: form });
if (!signIn.ok) fail("no token", await signIn.text());
const token = ((await signIn.json()) as { access_token: string }).access_token;

const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

const made = await client.POST("/api.ashx/v1/calls", {
  body: { phone: "+4930123456", systemPrompt: "Be brief.", displayName: "First call", retries: 0 },
});
if (made.error || !made.data.ok) fail("POST /calls", made.error);

for (let tries = 0; ; tries++) {
  const call = await client.GET("/api.ashx/v1/calls/{id}", { params: { path: { id: made.data.callId } } });
  if (call.error) fail("GET /calls/{id}", call.error);
  if (call.data.status.startsWith("ended-")) {
    console.log(`${call.data.callId} ${call.data.status} ${call.data.errorDetail}`);
    break;
  }
  if (tries > 600) fail("the call does not end", call.data);
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const list = await client.GET("/api.ashx/v1/calls", { params: { query: { limit: 1 } } });
if (list.error || list.data.data.length !== 1 || list.data.total < 1) fail("GET /calls", list.error ?? list.data);
const missing = await client.GET("/api.ashx/v1/calls/{id}", { params: { path: { id: "nothing" } } });
if (missing.response.status !== 404 || missing.error?.error !== "not_found") fail("a missing call", missing.error);
