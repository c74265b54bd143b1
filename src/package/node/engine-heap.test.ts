/** The limit of the engine thread's heap, by the size of the process: a tokenizer that needs more ends the thread alone. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSession } from "../../runtime/session/page-side/client.ts";
import { modelOf } from "./model-of.ts";
import { nodeSessionOptions } from "./node-session.ts";
import { openEngineThread } from "./open-engine-thread.ts";
import { measurePeakMemory, megabyte } from "./testing/peak-memory.ts";
import { bundledModel } from "./testing/test-terminal.ts";

/** The file is parsed within this limit, since V8 ends the whole process if `JSON.parse` alone needs more. The tables are not. */
const heapMb = 32;
/** The file's text, the model, and the thread's memory outside V8's heap of old objects. */
const besideMb = 64;
/**
 * The tokenizer's tables take some 200 bytes for each. With over 262,144 entries a `Map` grows by 15 MB at once, and Node leaves a
 * thread at its limit only 16 MB: then V8 ended the whole process now and then.
 */
const mergeCount = 250_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midtoken-heap-"));
  cpSync(bundledModel, folder, { recursive: true });
  const file = join(folder, "tokenizer.json");
  const tokenizer = JSON.parse(readFileSync(file, "utf8")) as { model: { merges: unknown[] } };
  for (let place = 0; place < mergeCount; place++) tokenizer.model.merges.push(`l${place} r${place}`);
  writeFileSync(file, JSON.stringify(tokenizer));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How the load of the model ends in a thread with this limit: "loaded", or the error. */
async function loadWith(limitMb: number): Promise<string> {
  const nothing = () => undefined;
  const thread = { cacheFolder: null, hubAccess: null, remote: null, onNotice: nothing, onUpstream: nothing };
  const session = createSession({
    ...nodeSessionOptions({ cacheFolder: null }),
    openTransport: () => openEngineThread({ ...thread, heapMb: limitMb }),
  });
  const options = { signal: new AbortController().signal, onProgress: nothing };
  try {
    await session.loadModel(await modelOf(folder), "wasm", options);
    return "loaded";
  } catch (error) {
    return (error as Error).message;
  } finally {
    session.dispose();
  }
}

test("a tokenizer that needs more than the limit ends the load, and the process stays small", async () => {
  // The first load also compiles the runtime for the second one.
  expect(await loadWith(2_048)).toBe("loaded");
  const { result, peak } = await measurePeakMemory(() => loadWith(heapMb));
  expect(result).toContain(
    `its thread took more than ${heapMb} MB of memory, not counting the model's weights`,
  );
  // 12 to 68 MB when this was written, and 123 to 136 MB with the usual limit.
  expect(peak / megabyte).toBeLessThan(heapMb + besideMb);
});
