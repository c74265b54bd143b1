/** Whether the check finds the RAM cache of a llama.cpp server, and says nothing where the server does not show it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../scripts/remote/find-server.ts";
import { exactLlamaFlags, startLlamaServer } from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";
import { createFolderSource } from "../../package/node/folder-source.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { startFakeStoryServer } from "../../package/node/testing/fake-story.ts";
import { loadRemoteModel } from "./load-remote-model.ts";
import { createAnswerFault } from "./testing/fake-llama.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const reference = {
  id: "stories260k",
  url: "file:///stories260k/",
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
};

/** Loads the bundled model from these servers. Returns the notices of the load. */
async function noticesOf(...[url = "", ...replicas]: readonly string[]): Promise<readonly string[]> {
  const notices: string[] = [];
  const { model } = await loadRemoteModel(reference, {
    source: createFolderSource("public/models/stories260k"),
    access: { url, replicas },
    exchange: createHttpExchange(),
    onNotice: (notice) => notices.push(notice),
  });
  await model.dispose();
  return notices;
}

async function fake(hasRamCache: boolean) {
  const server = await startFakeStoryServer({ hasRamCache });
  open.push(() => server.close());
  return server;
}

test("a server with a RAM cache is named in one sentence, and one without is not", async () => {
  const [without, withCache] = [await fake(false), await fake(true)];
  const notices = await noticesOf(without.url, withCache.url);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(`${withCache.url} has a RAM cache`);
  expect(notices[0]).toMatch(/Start the server with -cram 0\.$/);
});

test("a server that refuses the check loads without a notice", async () => {
  const server = await fake(true);
  server.faults.set("/completion", createAnswerFault(500, { error: { message: "no" } }));
  expect(await noticesOf(server.url)).toEqual([]);
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

describe.runIf(isThere)("a real llama.cpp server", () => {
  const exactNumbers = exactLlamaFlags.slice(0, exactLlamaFlags.indexOf("-cram"));
  test.each<[string, number, readonly string[], number]>([
    ["-cram 0", 1, [...exactNumbers, "-cram", "0"], 0],
    ["-cram 0 and 4 slots", 4, [...exactNumbers, "-cram", "0"], 0],
    ["its default", 1, exactNumbers, 1],
    ["its default and 4 slots", 4, exactNumbers, 1],
    ["4 slots that share their memory", 4, [...exactNumbers, "-kvu"], 1],
    ["-cram 0, where slots are not chosen by text", 2, [...exactNumbers, "-cram", "0", "-sps", "0"], 0],
  ])("with %s", async (_, slots, instead, count) => {
    const directory = mkdtempSync(join(tmpdir(), "midtoken-ram-"));
    open.push(() => rmSync(directory, { recursive: true, force: true }));
    const model = join(directory, "story.gguf");
    writeFileSync(model, storyGguf());
    const server = await startLlamaServer({ model, slots, instead });
    open.push(() => server.stop());
    expect(await noticesOf(server.url)).toHaveLength(count);
  });
});
