/** Ctrl-C and SIGTERM during work that never ends, in `midtoken run` and `midtoken serve`. The next command, and other requests, still work. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { endlessAtLoad, endlessAtPrompt } from "../../runtime/engine/testing/endless-models.ts";
import { makeHangingModelFolders, messages, prompt, storyOutput } from "./testing/endless-folders.ts";
import { EngineThreadObserver } from "./testing/engine-threads.ts";
import { bundledModel, type RunMidtokenOptions, runMidtoken } from "./testing/test-terminal.ts";

const folders = makeHangingModelFolders();
const threads = new EngineThreadObserver();
afterAll(() => {
  threads.stop();
  folders.remove();
});

const twelveTokens = ["--max-tokens", "12"];

describe("on the command line, Ctrl-C", () => {
  test.each([...endlessAtLoad, ...endlessAtPrompt])(
    "ends `run`, and the next one works: %s",
    async (kind) => {
      const controller = new AbortController();
      const words = ["run", "--prompt", prompt, "--no-link", "--temperature", "0"];
      const ran = runMidtoken([...words, "--model", folders.of(kind), "--max-tokens", "400"], {
        signal: controller.signal,
      });
      await threads.untilEndless(kind);
      controller.abort(new DOMException("Stopped by Ctrl-C.", "AbortError"));
      const { code, errors, out } = await ran;
      expect([code, errors]).toEqual([130, "midtoken: Stopped by Ctrl-C.\n"]);
      // The command has printed the text so far.
      expect(out.trim()).toMatch(kind === "graph in a pass" ? /^, there was a/ : /^$/);
      const next = await runMidtoken([...words, ...twelveTokens, "--model", bundledModel]);
      expect(next).toMatchObject({ code: 0, out: `${storyOutput}\n` });
    },
  );

  test.each(endlessAtLoad)("ends `serve` while it loads a model: %s", async (kind) => {
    const port = await freePort();
    const serving = serve(["--model", folders.of(kind), "--port", String(port)]);
    await threads.untilEndless(kind);
    // The server answers while its model does endless work.
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect(await health.json()).toMatchObject({ status: "loading", alive: true });
    serving.stop();
    expect(await serving.ended).toMatchObject({
      code: 130,
      errors: expect.stringContaining("Stopped by a signal.") as string,
    });
    const next = serve(["--model", bundledModel, "--port", String(port)]);
    await expect(answerOf(await next.address, "stories260k")).resolves.toBe(storyOutput);
    next.stop();
    expect((await next.ended).code).toBe(0);
  });

  test.each(endlessAtPrompt)("ends `serve`, which answers others meanwhile: %s", async (kind) => {
    const serving = serve(["--model", folders.of(kind), "--model", bundledModel, "--port", "0"]);
    const address = await serving.address;
    const endless = kind.replaceAll(" ", "-");
    const leaving = new AbortController();
    const left = answerOf(address, endless, 400, leaving.signal);
    left.catch(() => undefined);
    await threads.untilEndless(kind);
    // The server answers while one of its models does endless work.
    expect((await fetch(`${address}/models`)).status).toBe(200);
    const health = await fetch(new URL("/health", address));
    expect(await health.json()).toMatchObject({ status: "ok", ready: true });
    await expect(answerOf(address, "stories260k")).resolves.toBe(storyOutput);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    const stays = answerOf(address, endless, 400);
    stays.catch(() => undefined);
    await threads.untilEndless(kind);
    await expect(answerOf(address, "stories260k")).resolves.toBe(storyOutput);
    serving.stop();
    expect((await serving.ended).code).toBe(0);
  });
});

function serve(words: readonly string[]) {
  const controller = new AbortController();
  let found: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    found = resolve;
  });
  const options: RunMidtokenOptions = {
    signal: controller.signal,
    onWrite: (text) => found(/http\S+/.exec(text)?.[0] ?? ""),
  };
  const ended = runMidtoken(["serve", ...words], options);
  const stop = () => controller.abort(new DOMException("Stopped by a signal.", "AbortError"));
  return { address, ended, stop };
}

async function answerOf(address: string, model: string, maxTokens = 12, signal?: AbortSignal) {
  const response = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages, max_tokens: maxTokens, temperature: 0 }),
    ...(signal && { signal }),
  });
  const { choices } = (await response.json()) as { choices?: { message: { content: string } }[] };
  return choices?.[0]?.message.content;
}

/** A port that was free just now. The test chooses it, because a server prints its address only after its models are loaded. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
