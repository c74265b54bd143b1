/** `midtoken serve --metrics`, mods from a read-only folder, and the permission to change mods. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { makeReadOnly } from "../testing/read-only-folder.ts";
import { serveGateway } from "../testing/serve-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-metrics-"));
const [mods, keyFile] = [join(folder, "mods"), join(folder, "keys")];
const [boss, guest] = ["sk-boss-0123456789ab", "sk-guest-0123456789"];
const upstreamKey = "upstream-key-that-nobody-may-see";
const hello = `import { mod } from "midtoken/mod";
export default mod({ forwardPass: (event, actions) => event.step === 0 ? actions.forceTokens("HELLO") : undefined });`;
mkdirSync(mods);
writeFileSync(join(mods, "hello.ts"), hello);
writeFileSync(join(mods, "notes.md"), "Not a mod.");
const undoReadOnly = makeReadOnly(mods);
writeFileSync(keyFile, `${boss} boss mods\n${guest} guest concurrent=1\n`, { mode: 0o600 });
afterAll(() => {
  undoReadOnly?.();
  rmSync(folder, { recursive: true });
});

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

async function serve(held: Promise<void> = Promise.resolve()) {
  const fake = await startFakeStoryServer({
    slots: 2,
    key: upstreamKey,
    before: async (path) => (path === "/completion" ? held : undefined),
  });
  const words = ["--metrics", "--mods", mods, "--fixed-mods", "--key-file", keyFile, "--log", "json"];
  const gateway = await serveGateway([fake.url], words, { MIDTOKEN_ENGINE_KEY: upstreamKey });
  open.push(gateway, { stop: () => fake.close() });
  const call = (path: string, key: string | null, body?: object, method = "POST") =>
    fetch(`${gateway.address}${path}`, {
      method: body ? method : "GET",
      headers: {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const metrics = async () => (await fetch(new URL("/metrics", gateway.address))).text();
  return { gateway, fake, call, metrics };
}

/** The value of a metric; 0 if it is missing. */
const valueIn = (metrics: string, name: string): number =>
  Number(
    metrics
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")[1] ?? 0,
  );

// In a container in which root may not mount, the folder is writable, and the tests below still run.
test.skipIf(undoReadOnly === null)("the folder of mods is read-only in these tests", () => {
  expect(() => writeFileSync(join(mods, "new.ts"), hello)).toThrow(/EROFS|EACCES/);
});

test("metrics count requests, tokens, mods and the server's work, and contain no text and no key", async () => {
  const { gateway, fake, call, metrics } = await serve();
  const prompt = "Once upon a secret";
  for (const model of ["stories260k", "stories260k/hello"]) {
    const answer = await call("/completions", guest, { model, prompt, max_tokens: 8, temperature: 0 });
    expect(answer.status).toBe(200);
    if (model.endsWith("hello")) expect(await answer.text()).toContain("HELLO");
    else await answer.text();
  }
  expect((await call("/completions", null, { model: "stories260k", prompt })).status).toBe(401);
  const requests = 'midtoken_requests_total{route="/v1/completions",status="200"}';
  await expect.poll(async () => valueIn(await metrics(), requests)).toBe(2);
  await expect.poll(async () => valueIn(await metrics(), "midtoken_upstream_steps_total")).toBeGreaterThan(8);
  const text = await metrics();
  expect(valueIn(text, 'midtoken_tokens_total{kind="completion"}')).toBeGreaterThanOrEqual(16);
  expect(valueIn(text, "midtoken_mod_calls_total")).toBeGreaterThan(0);
  expect(valueIn(text, "midtoken_mod_seconds_total")).toBeGreaterThan(0);
  expect(valueIn(text, "midtoken_passes_total")).toBeGreaterThan(8);
  expect(valueIn(text, 'midtoken_requests_in_progress{state="waiting"}')).toBe(0);
  expect(valueIn(text, "midtoken_upstream_faults_total")).toBe(0);
  await fake.close();
  expect((await call("/completions", guest, { model: "stories260k", prompt: "A cat" })).status).toBe(503);
  const faults = 'midtoken_upstream_faults_total{fault="unreachable"}';
  await expect.poll(async () => valueIn(await metrics(), faults)).toBeGreaterThan(0);
  const figures = await metrics();
  const secrets = ["secret", boss, guest, upstreamKey, "HELLO"];
  for (const secret of secrets) expect(`${figures}${gateway.lines.join("\n")}`).not.toContain(secret);
  // Notices, which are no JSON, name the server that failed; the lines of requests do not (docs/gateway.md).
  const { host } = new URL(fake.url);
  const requestLines = gateway.lines.filter((line) => line.startsWith("{"));
  expect(requestLines).toHaveLength(4);
  for (const line of [figures, ...requestLines]) expect(line).not.toContain(host);
  expect(gateway.lines.filter((line) => line.includes(host))).toHaveLength(1);
});

test("keys hold with a server behind them, and only keys that may change mods", async () => {
  let release: () => void = () => undefined;
  const { fake, call } = await serve(
    new Promise((resolve) => {
      release = resolve;
    }),
  );
  const listed = (await (await call("/mods", guest)).json()) as { data: { name: string }[] };
  expect(listed.data.map(({ name }) => name)).toEqual(["hello"]);
  const further = { name: "further", source: hello };
  const refused = await call("/mods", guest, further);
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    403,
    "mods_fixed",
  ]);
  expect((await call("/mods/hello", guest, {}, "DELETE")).status).toBe(403);
  expect((await call("/mods", boss, further)).status).toBe(200);
  expect((await call("/mods/further", boss, {}, "DELETE")).status).toBe(200);
  const ask = { model: "stories260k", prompt: "Once", max_tokens: 4, temperature: 0 };
  const first = call("/completions", guest, ask);
  await expect.poll(() => fake.bodies("/completion").length).toBeGreaterThan(0);
  expect((await call("/completions", guest, ask)).status).toBe(429);
  release();
  expect((await first).status).toBe(200);
});
