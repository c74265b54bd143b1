/** The order in which passes are queued, kept and dropped. `e2e/webgpu/rows.spec.ts` checks the results on a device. */
import { expect, test } from "vitest";
import type { GraphPass } from "../graph/graph-runner.ts";
import { LastTokenLogitsPasses } from "./single-token-passes.ts";

const nextToken = { label: "next token" } as GPUBuffer;

/**
 * Rows are arrays with the number of times that a row was begun. The most likely token of a row is 10 more than this number.
 */
function passesWithLog(room: number) {
  const log: string[] = [];
  let begun = 0;
  const passes = new LastTokenLogitsPasses(
    {
      nextToken,
      takeBuffer: () => ({}) as GPUBuffer,
      beginRow: async (_, temperature, ids) => {
        begun += 1;
        log.push(`row ${begun} at ${temperature}${ids === nextToken ? ", with its token" : ""}`);
        return { result: Promise.resolve({ row: Float32Array.of(begun), mostLikely: 10 + begun }) };
      },
    },
    {
      queue: async (ids, past) => void log.push(`${Array.isArray(ids) ? ids : "next"} after ${past}`),
      keep: (length) => void log.push(`keep ${length}`),
      hasRoom: (length) => length <= room,
    },
  );
  const pass = (token: number, past: number): GraphPass => ({
    tokens: [token],
    start: 0,
    end: 1,
    past,
    rows: 1,
  });
  /** The steps of the pass, and the row that it returned. */
  const run = async (token: number, past: number, next?: "mostLikely", temperature = 1) => {
    log.length = 0;
    const row = await passes.run(pass(token, past), temperature, next);
    return [...log, `gives ${String(row)}`];
  };
  return { passes, run };
}

test("a pass is kept before the next one is queued, and that one is given when it is asked for", async () => {
  const { run } = passesWithLog(100);
  const first = ["5 after 3", "row 1 at 1, with its token", "keep 4"];
  const ahead = ["next after 4", "row 2 at 1, with its token"];
  expect(await run(5, 3, "mostLikely")).toEqual([...first, ...ahead, "gives 1"]);
  const further = ["next after 5", "row 3 at 1, with its token"];
  expect(await run(11, 4, "mostLikely")).toEqual(["keep 5", ...further, "gives 2"]);
  expect(await run(12, 5)).toEqual(["keep 6", "gives 3"]);
  expect(await run(13, 6)).toEqual(["13 after 6", "row 4 at 1", "keep 7", "gives 4"]);
});

test("where the cache has no room for the next token, nothing is queued", async () => {
  const { run } = passesWithLog(4);
  const done = ["5 after 3", "row 1 at 1, with its token", "keep 4", "gives 1"];
  expect(await run(5, 3, "mostLikely")).toEqual(done);
});

test.each([
  ["another token", 12, 4, 1],
  ["another temperature", 11, 4, 0.5],
  ["another place", 11, 3, 1],
])("%s: computed for itself", async (_, token, past, temperature) => {
  const { run } = passesWithLog(100);
  await run(5, 3, "mostLikely");
  const own = [`${token} after ${past}`, `row 3 at ${temperature}`, `keep ${past + 1}`, "gives 3"];
  expect(await run(token, past, undefined, temperature)).toEqual(own);
});

test("a cut behind it leaves it, one before it does not", async () => {
  const { passes, run } = passesWithLog(100);
  await run(5, 3, "mostLikely");
  passes.cut(4);
  expect(await run(11, 4, "mostLikely")).toContain("gives 2");
  passes.cut(4);
  expect(await run(12, 5)).toContain("12 after 5");
});
