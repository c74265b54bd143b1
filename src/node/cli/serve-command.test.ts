/** `midtoken serve` with the bundled model: how it stops. */
import { expect, test } from "vitest";
import { bundledModel, runMidtoken } from "../testing/test-terminal.ts";

interface Serving {
  /** Of the API, `http://127.0.0.1:PORT/v1`. */
  readonly address: string;
  /** As Ctrl-C does. */
  stop(): void;
  readonly ended: ReturnType<typeof runMidtoken>;
}

async function serve(...words: readonly string[]): Promise<Serving> {
  const stop = new AbortController();
  let found: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    found = resolve;
  });
  const ended = runMidtoken(["serve", "--model", bundledModel, "--port", "0", ...words], {
    signal: stop.signal,
    onWrite: (text) => found(/http:\S+/.exec(text)?.[0] ?? ""),
  });
  const address = await Promise.race([listening, ended.then(({ told }) => Promise.reject(new Error(told)))]);
  return { address, ended, stop: () => stop.abort(new DOMException("Stopped.", "AbortError")) };
}

const json = { "content-type": "application/json" };
const endless = { model: "stories260k", prompt: "Once", max_tokens: 400, logit_bias: { 2: -100 } };
const ask = (address: string, body: object) =>
  fetch(`${address}/completions`, { method: "POST", body: JSON.stringify(body), headers: json });

test("a signal ends streams with an error event, then the server", async () => {
  const { address, stop, ended } = await serve();
  const streamed = await ask(address, { ...endless, stream: true });
  const reader = streamed.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  const first = await reader.read();
  expect(decoder.decode(first.value)).toMatch(/^data: \{"id"/);
  stop();
  let last = "";
  for (let part = await reader.read(); !part.done; part = await reader.read())
    last = decoder.decode(part.value);
  const events = last.trim().split("\n\n");
  expect(JSON.parse(events.at(-1)?.replace("data: ", "") ?? "")).toMatchObject({
    error: { code: "server_stopped", type: "engine_error" },
  });
  expect((await ended).code).toBe(0);
  await expect(fetch(`${address}/models`)).rejects.toThrow();
});
