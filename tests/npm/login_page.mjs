// A person at the login page, with a real browser: login_page.mjs PORT SECRETS CHROMIUM [FOLDER of screenshots].
import assert from "node:assert/strict";
import http from "node:http";
import { chromium } from "playwright-core";

const [, , port, given, executablePath, folder] = process.argv;
const secrets = JSON.parse(given);
const host = "other.example";

// A native application: it listens at any port of the loopback address.
const received = [];
const application = http.createServer((request, response) => {
  if (request.url.startsWith("/native")) received.push(new URL(request.url, "http://127.0.0.1"));
  response.setHeader("content-type", "text/html").end("<!DOCTYPE html><title>Application</title>");
});
await new Promise((resolve) => application.listen(0, "127.0.0.1", resolve));
const back = `http://127.0.0.1:${application.address().port}/native`;
const url = `http://${host}/oidc.ashx/authorize?` + new URLSearchParams({
  response_type: "code", client_id: "portal", redirect_uri: back, state: "s", scope: "openid",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256",
});

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", `--host-resolver-rules=MAP ${host} 127.0.0.1:${port}`] });
const violations = [];

async function visit(look) {
  const context = await browser.newContext(look.options);
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && !/status of 4/.test(message.text()) && violations.push(message.text()));
  page.on("dialog", (dialog) => { violations.push("a dialog"); dialog.dismiss(); });
  const shot = (name) => folder && page.screenshot({ path: `${folder}/${name}-${look.name}.png` });
  await page.goto(url);
  assert.equal(await page.title(), `Sign in - ${host}`);
  assert.ok(await page.getByLabel("User name").evaluate((input) => input === document.activeElement));
  await shot("login");
  await page.getByLabel("User name").fill("<img src=x onerror=alert(1)>");
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByRole("alert").innerText(), "Wrong user name or password.");
  await shot("login-wrong");
  await page.getByLabel("User name").fill("carol");
  await page.getByLabel("Password").fill(secrets.carol);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(back + "**"); // the policy of the page lets the form's redirect through
  await page.goto(`http://${host}/oidc.ashx/logout`);
  await shot("logout");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await shot("signed-out");
  await page.goto(url.replace("portal", "unknown"));
  await shot("unknown");
  await page.goto(url);
  assert.equal(await page.title(), `Sign in - ${host}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.ok(!wide, `${look.name}: the page scrolls sideways`);
  await context.close();
}

try {
  await visit({ name: "light", options: { colorScheme: "light", viewport: { width: 1000, height: 700 } } });
  await visit({ name: "phone-dark", options: { colorScheme: "dark", viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true } });
  if (folder) {
    await visit({ name: "dark", options: { colorScheme: "dark", viewport: { width: 1000, height: 700 } } });
    await visit({ name: "phone", options: { colorScheme: "light", viewport: { width: 360, height: 640 }, isMobile: true } });
  }
  assert.deepEqual(violations, []);
  for (const one of received) assert.ok(one.searchParams.get("code") && one.searchParams.get("state") === "s");
  assert.ok(received.length >= 2);
} finally {
  await browser.close();
  application.close();
}
console.log("done");
