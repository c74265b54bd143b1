/** The limit of the engine thread's heap, by the size of the process: a tokenizer that needs more ends the thread alone. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomBits } from "../../core/base/random.ts";
import { tokenizerLimits } from "../../core/tokenizer/tokenizer-limits.ts";
import { createSession } from "../../runtime/session/page-side/client.ts";
import { modelOf } from "./model-of.ts";
import { nodeSessionOptions } from "./node-session.ts";
import { openEngineThread } from "./open-engine-thread.ts";
import { bundledModel } from "./testing/test-terminal.ts";

const megabyte = 2 ** 20;
const heapMb = 8;
/** The runtime's binary, the model's file, and V8's own memory of the thread. */
const beside = 100;

/** Without repetitions, so that a search tree has a node for each character: at least 170 bytes. */
function randomText(length: number, seed: number): string {
  let text = "";
  for (let i = 0; text.length < length; i++) text += randomBits(seed, i).toString(36);
  return text.slice(0, length);
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midtoken-heap-"));
  cpSync(bundledModel, folder, { recursive: true });
  const file = join(folder, "tokenizer.json");
  const tokenizer = JSON.parse(readFileSync(file, "utf8")) as { added_tokens: object[] };
  const count = 9;
  for (let place = 0; place < count; place++) {
    const content = randomText(Math.floor((tokenizerLimits.addedCharacters * 0.9) / count), place);
    tokenizer.added_tokens.push({ id: 512 + place, content, special: false, normalized: false });
  }
  writeFileSync(file, JSON.stringify(tokenizer));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The megabytes by which the process grows while a thread with this limit loads the model, and how the load ends. */
async function loadWith(limitMb: number) {
  const nothing = () => undefined;
  const thread = { cacheFolder: null, hubAccess: null, remote: null, onNotice: nothing, onUpstream: nothing };
  const session = createSession({
    ...nodeSessionOptions({ cacheFolder: null }),
    openTransport: () => openEngineThread({ ...thread, heapMb: limitMb }),
  });
  const start = process.memoryUsage.rss();
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() - start);
  }, 2);
  try {
    const options = { signal: new AbortController().signal, onProgress: nothing };
    const loading = session.loadModel(await modelOf(folder), "wasm", options);
    const ended = await loading.then(
      () => "loaded",
      (error: Error) => error.message,
    );
    return { ended, peak: Math.round(peak / megabyte) };
  } finally {
    clearInterval(timer);
    session.dispose();
  }
}

test("a tokenizer that needs more than the limit ends the load, and the process stays small", async () => {
  const { ended, peak } = await loadWith(heapMb);
  expect(ended).toContain(
    `its thread took more than ${heapMb} MB of memory, not counting the model's weights`,
  );
  // In a new process, a load with the usual limit takes 200 MB.
  expect(peak).toBeLessThan(heapMb + beside);
  expect((await loadWith(2_048)).ended).toBe("loaded");
});
