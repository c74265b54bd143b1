/** While a prompt of several megabytes arrives and is refused, `midtoken serve` answers all other clients. The test checks the order of events, not times. */
import { request } from "node:http";
import { expect, test } from "vitest";
import { bundledModel, runMidtoken } from "./testing/test-terminal.ts";

const json = { "content-type": "application/json" };
const body = Buffer.from(
  JSON.stringify({
    model: "stories260k",
    messages: [{ role: "user", content: "Once upon a time. ".repeat(400_000) }],
  }),
);

test("others are answered between the halves of a long prompt, and while it is refused", async () => {
  const stop = new AbortController();
  let found: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    found = resolve;
  });
  const serving = runMidtoken(["serve", "--model", bundledModel, "--port", "0"], {
    signal: stop.signal,
    onWrite: (text) => found(/http:\S+/.exec(text)?.[0] ?? ""),
  });
  const address = await listening;
  const events: string[] = [];
  const others = async (when: string) => {
    const [health, models, answer] = await Promise.all([
      fetch(new URL("/health", address)),
      fetch(`${address}/models`),
      fetch(`${address}/completions`, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ model: "stories260k", prompt: "Once", max_tokens: 3, temperature: 0 }),
      }),
    ]);
    expect([when, health.status, models.status, answer.status]).toEqual([when, 200, 200, 200]);
    const { choices } = (await answer.json()) as { choices: { text: string }[] };
    expect(choices[0]?.text).not.toBe("");
    events.push(`others ${when}`);
  };
  const headers = { ...json, "content-length": body.length };
  const long = request(`${address}/chat/completions`, { method: "POST", headers });
  const refused = new Promise<string>((resolve, reject) => {
    long.on("error", reject).on("response", (response) => {
      events.push(`refused with ${response.statusCode}`);
      response
        .setEncoding("utf8")
        .toArray()
        .then((parts) => resolve(parts.join("")), reject);
    });
  });
  const half = body.length / 2;
  await new Promise<void>((sent) => long.write(body.subarray(0, half), () => sent()));
  await others("between the halves");
  // A request in progress when the second half arrives ends as well.
  const running = others("at the end");
  long.end(body.subarray(half));
  expect(JSON.parse(await refused)).toMatchObject({ error: { code: "context_length_exceeded" } });
  await running;
  await others("afterwards");
  expect(events[0]).toBe("others between the halves");
  expect(events).toContain("refused with 400");
  expect(events.at(-1)).toBe("others afterwards");
  stop.abort();
  expect((await serving).code).toBe(0);
});
