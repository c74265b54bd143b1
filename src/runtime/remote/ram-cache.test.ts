/** Whether the check finds the RAM cache of a llama.cpp server, which is then refused. */
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
import type { RemoteAccess } from "./connection.ts";
import { loadRemoteModel } from "./load-remote-model.ts";
import { createResponseFault } from "./testing/fake-llama.ts";

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

/** Loads the bundled model from these servers. Returns the message of the refusal; null if the model loads. */
function refusalOf(...[url = "", ...replicas]: readonly string[]): Promise<string | null> {
  return refusalWith({ url, replicas });
}

async function refusalWith(
  access: RemoteAccess,
  onNotice?: (notice: string) => void,
): Promise<string | null> {
  const loading = loadRemoteModel(reference, {
    source: createFolderSource("public/models/stories260k"),
    access,
    exchange: createHttpExchange(),
    ...(onNotice && { onNotice }),
  });
  return loading.then(
    async ({ model }) => {
      await model.dispose();
      return null;
    },
    (error: Error) => error.message,
  );
}

async function fake(hasRamCache: boolean) {
  const server = await startFakeStoryServer({ hasRamCache });
  open.push(() => server.close());
  return server;
}

test("a server with a RAM cache is refused by its address, and one without is not", async () => {
  const [without, withCache] = [await fake(false), await fake(true)];
  expect(await refusalOf(without.url)).toBeNull();
  const refusal = await refusalOf(without.url, withCache.url);
  expect(refusal).toContain(`${withCache.url} has a RAM cache`);
  expect(refusal).toContain("Start the server with -cram 0, then load the model again.");
  expect(refusal).toMatch(
    /If you cannot, accept the RAM cache where you name the server \(option acceptRamCache, on the command line --accept-ram-cache\)\.$/,
  );
});

test("a server with a RAM cache that the user accepts loads, and a notice tells the risk", async () => {
  const notices: string[] = [];
  const { url } = await fake(true);
  expect(await refusalWith({ url, acceptRamCache: true }, (notice) => notices.push(notice))).toBeNull();
  expect(notices).toEqual([
    `${url} has a RAM cache of prompts: under load, text of one conversation may end up in another (llama.cpp issue 27148).`,
  ]);
  const without = await fake(false);
  await refusalWith({ url: without.url, acceptRamCache: true }, (notice) => notices.push(notice));
  expect(notices).toHaveLength(1);
});

test("two checks at once do not mistake each other's texts for a RAM cache", async () => {
  const server = await fake(false);
  const checks = Array.from({ length: 8 }, () => refusalOf(server.url));
  expect(await Promise.all(checks)).toEqual(Array(8).fill(null));
});

test("a server that refuses the check loads", async () => {
  const server = await fake(true);
  server.faults.set("/completion", createResponseFault(500, { error: { message: "no" } }));
  expect(await refusalOf(server.url)).toBeNull();
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

describe.runIf(isThere)("a real llama.cpp server", () => {
  const exactNumbers = exactLlamaFlags.slice(0, exactLlamaFlags.indexOf("-cram"));
  test.each<[string, number, readonly string[], boolean]>([
    ["-cram 0", 1, [...exactNumbers, "-cram", "0"], false],
    ["-cram 0 and 4 slots", 4, [...exactNumbers, "-cram", "0"], false],
    ["its default", 1, exactNumbers, true],
    ["its default and 4 slots", 4, exactNumbers, true],
    ["4 slots that share their memory", 4, [...exactNumbers, "-kvu"], true],
    ["-cram 0, where slots are not chosen by text", 2, [...exactNumbers, "-cram", "0", "-sps", "0"], false],
  ])("with %s", async (_, slots, instead, hasRamCache) => {
    const directory = mkdtempSync(join(tmpdir(), "midtoken-ram-"));
    open.push(() => rmSync(directory, { recursive: true, force: true }));
    const model = join(directory, "story.gguf");
    writeFileSync(model, storyGguf());
    const server = await startLlamaServer({ model, slots, instead });
    open.push(() => server.stop());
    const refusal = await refusalOf(server.url);
    if (hasRamCache) expect(refusal).toContain("has a RAM cache");
    else expect(refusal).toBeNull();
  });
});
