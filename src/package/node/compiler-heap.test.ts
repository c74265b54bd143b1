/** The limit of the compiler thread's heap, by the size of the process: a source that needs more ends the thread alone. */
import { expect, test } from "vitest";
import { largestSource } from "../../runtime/sandbox/compiled-mod.ts";
import { createCompiler } from "../../runtime/sandbox/compiler.ts";
import { startCompilerThread } from "./node-session.ts";
import { measurePeakMemory, megabyte } from "./testing/peak-memory.ts";

const heapMb = 16;
/** The thread's memory outside V8's heap of old objects: code, stack, young objects. */
const besideMb = 64;

/** As many tokens as a source can have. Without its deadline, the compiler takes all of them in. */
const source = "a;".repeat(largestSource / 2);

/** Resolves with the error with which the thread ends, or with "compiled". */
function compile(limitMb?: number): Promise<string> {
  const thread = startCompilerThread(limitMb);
  return new Promise<string>((resolve) => {
    thread.onmessage = ({ data }) => {
      if (data.type === "ready") thread.postMessage(source, []);
      else resolve(data.type);
    };
    thread.onerror = ({ message }) => resolve(message);
  }).finally(() => thread.terminate());
}

test("a source that needs more than the limit ends the thread, and the process stays small", async () => {
  const { result, peak } = await measurePeakMemory(() => compile(heapMb));
  expect(result).toMatch(/memory limit/);
  // 26 MB when this was written, and 440 MB with the usual limit.
  expect(peak / megabyte).toBeLessThan(heapMb + besideMb);
});

test("the usual limit has room for the largest source", async () => {
  expect(await compile()).toBe("compiled");
});

test("the mod is refused with a sentence, and the next one compiles", async () => {
  const compiler = createCompiler(() => startCompilerThread(heapMb));
  try {
    const refused = await compiler.compile(source);
    // On a busy machine, the deadline of 1.5 s may come first.
    expect(JSON.stringify(refused)).toMatch(/may need more memory than is available|longer than 1\.5 s/);
    expect(await compiler.compile("export default 1;")).toMatchObject({ ok: true });
  } finally {
    compiler.dispose();
  }
});
