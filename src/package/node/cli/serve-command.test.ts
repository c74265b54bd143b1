/** `midtoken serve` with the bundled model: stopping, keys, log and health. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundledModel, runMidtoken } from "../testing/test-terminal.ts";

interface Serving {
  /** The API's address, `http://127.0.0.1:PORT/v1`. */
  readonly address: string;
  /** Like Ctrl-C. */
  stop(): void;
  /** Like SIGHUP. */
  hangUp(): void;
  /** Resolves when a line with this text was printed. */
  waitForOutput(text: string): Promise<string>;
  readonly ended: ReturnType<typeof runMidtoken>;
}

async function serve(...words: readonly string[]): Promise<Serving> {
  const stop = new AbortController();
  const hangUps = new Set<() => void>();
  const lines: string[] = [];
  let heard: () => void = () => undefined;
  let found: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    found = resolve;
  });
  const ended = runMidtoken(["serve", "--model", bundledModel, "--port", "0", ...words], {
    signal: stop.signal,
    onWrite: (text) => found(/http:\S+/.exec(text)?.[0] ?? ""),
    onTell(line) {
      lines.push(line);
      heard();
    },
    onHangup(listener) {
      hangUps.add(listener);
      return () => void hangUps.delete(listener);
    },
  });
  const address = await Promise.race([
    listening,
    ended.then(({ errors }) => Promise.reject(new Error(errors))),
  ]);
  return {
    address,
    ended,
    stop: () => stop.abort(new DOMException("Stopped.", "AbortError")),
    hangUp() {
      for (const listener of hangUps) listener();
    },
    async waitForOutput(text) {
      for (;;) {
        const line = lines.find((each) => each.includes(text));
        if (line !== undefined) return line;
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
  };
}

const json = { "content-type": "application/json" };
const endless = { model: "stories260k", prompt: "Once", max_tokens: 400, logit_bias: { 2: -100 } };
const ask = (address: string, body: object) =>
  fetch(`${address}/completions`, { method: "POST", body: JSON.stringify(body), headers: json });

test("a signal ends streams with an error event and other requests with a 503, then the server", async () => {
  const { address, stop, ended } = await serve();
  const streamed = await ask(address, { ...endless, stream: true });
  const reader = streamed.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  // On a busy machine, comments (": keep-alive") come first.
  let first = ": ";
  while (first.startsWith(": ")) first = decoder.decode((await reader.read()).value);
  expect(first).toMatch(/^data: \{"id"/);
  const whole = ask(address, endless);
  // The second request waits until the first one has ended.
  const health = new URL("/health", address);
  for (;;) {
    const { requests } = (await (await fetch(health)).json()) as { requests: { waiting: number } };
    if (requests.waiting > 0) break;
  }
  stop();
  let last = "";
  for (let part = await reader.read(); !part.done; part = await reader.read())
    last = decoder.decode(part.value);
  const events = last.trim().split("\n\n");
  expect(JSON.parse(events.at(-1)?.replace("data: ", "") ?? "")).toMatchObject({
    error: { code: "server_stopped", type: "engine_error" },
  });
  const answer = await whole;
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { code: "server_stopped" } });
  expect((await ended).code).toBe(0);
  await expect(fetch(`${address}/models`)).rejects.toThrow();
});

const folder = mkdtempSync(join(tmpdir(), "midtoken-serve-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("keys of a file are asked for, counted, logged and read again", async () => {
  const keyFile = join(folder, "keys");
  const [alice, bob] = ["sk-alice-0123456789", "sk-bob-0123456789ab"];
  writeFileSync(keyFile, `${alice} alice rpm=2\n`, { mode: 0o600 });
  const { address, stop, hangUp, waitForOutput, ended } = await serve("--key-file", keyFile, "--log", "json");
  const models = (key: string) => fetch(`${address}/models`, { headers: { authorization: `Bearer ${key}` } });
  expect((await fetch(new URL("/health", address))).status).toBe(200);
  expect((await fetch(`${address}/models`)).status).toBe(401);
  expect((await models(bob)).status).toBe(401);

  const prompt = "Once upon a time there was a secret";
  const answer = await fetch(`${address}/completions`, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${alice}` },
    body: JSON.stringify({ model: "stories260k", prompt, max_tokens: 3, temperature: 0, stream: true }),
  });
  expect(answer.headers.get("x-ratelimit-remaining-requests")).toBe("1");
  await answer.text();
  const line = await waitForOutput('"alice"');
  expect(JSON.parse(line)).toMatchObject({
    key: "alice",
    method: "POST",
    route: "/v1/completions",
    model: "stories260k",
    status: 200,
    completion_tokens: 3,
    error: null,
  });
  expect(line).not.toMatch(/secret|sk-/);

  expect((await models(alice)).status).toBe(200);
  const limited = await models(alice);
  expect([limited.status, limited.headers.get("x-should-retry")]).toEqual([429, "true"]);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);

  writeFileSync(keyFile, "short\n");
  hangUp();
  expect(await waitForOutput("The key file was not reloaded, so the old keys stay valid.")).toContain(
    "line 1: the key has 5 characters",
  );
  writeFileSync(keyFile, `${bob} bob\n`);
  hangUp();
  await waitForOutput("reloaded: 1 keys");
  expect([(await models(bob)).status, (await models(alice)).status]).toEqual([200, 401]);
  stop();
  expect((await ended).code).toBe(0);
});

test.each([
  [["--log", "xml"], '--log is "xml": give off, text, json.'],
  [["--allow-host", "http://a.example"], "give a name such as models.example"],
  [["--origin", "https://a.example/x"], "write https://a.example"],
  [["--key-file", "/nowhere/keys"], "The key file /nowhere/keys cannot be read"],
  [["--key-file", "/dev/null"], "The key file /dev/null is not a regular file."],
])("%j is refused before a model is loaded", async (words, message) => {
  const ran = await runMidtoken(["serve", "--model", "./no-such-model", ...words]);
  expect(ran.code).toBe(2);
  expect(ran.errors).toContain(message);
});

test("--host says at which address the server listens", async () => {
  const { address, stop, ended } = await serve("--host", "127.0.0.2");
  expect(address).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/v1$/);
  expect((await fetch(`${address}/models`)).status).toBe(200);
  stop();
  expect((await ended).code).toBe(0);
  const refused = await runMidtoken(["serve", "--model", bundledModel, "--host", "192.0.2.1"]);
  expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining("192.0.2.1") as string });
});
