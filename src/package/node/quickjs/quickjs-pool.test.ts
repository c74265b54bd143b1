/** A guest in QuickJS, beyond the suite of attacks: its end, its faults, its view of the machine, warm sandboxes. */
import { afterEach, expect, test, vi } from "vitest";
import { hostileGuest } from "../../../../e2e/sandbox/hostile.ts";
import { performTask } from "../../../../e2e/sandbox/mod-task.ts";
import { compileMod } from "../../../runtime/sandbox/compile.ts";
import type { CompiledMod } from "../../../runtime/sandbox/compiled-mod.ts";
import type { SandboxPool } from "../../../runtime/sandbox/sandbox-pool.ts";
import {
  findMachineLeak,
  machineLeakAttempts,
  machineLeakAttemptsText,
} from "../../../runtime/sandbox/testing/machine-leak-attempts.ts";
import { createQuickJsPool, type QuickJsPoolOptions } from "./quickjs-pool.ts";

const pools: SandboxPool[] = [];
const zone = process.env.TZ;
afterEach(() => {
  vi.useRealTimers();
  for (const pool of pools.splice(0)) pool.dispose();
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

function makePool(options: QuickJsPoolOptions = {}): SandboxPool {
  const pool = createQuickJsPool(options);
  pools.push(pool);
  return pool;
}

function compiled(source: string): CompiledMod {
  const result = compileMod(source, "test");
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result;
}

async function ask(pool: SandboxPool, source: string, event: "prefilled" | "added" = "added") {
  const guest = await pool.spawn(compiled(source));
  const kills: number[] = [];
  const deadlines = { load: 20_000, prefilled: 20_000, event: 20_000 };
  const task = { ...guest, seed: 1, deadlines, events: [event, event] };
  const { replies } = await performTask(task, () => {
    kills.push(1);
    guest.kill();
  });
  return { replies, kills: kills.length };
}

const modOf = (added: string, top = "") =>
  `import { mod } from "midtoken/mod";\n${top}\nexport default mod({ added(event, actions, tokenizer) { ${added} } });\n`;

test("faults have their place in the author's file, and the sandbox goes with the request", async () => {
  const pool = makePool();
  const { replies, kills } = await ask(
    pool,
    modOf(`\nconst text: string | null = null as string | null;\n  text!.length;`),
  );
  expect(replies[0]?.fault).toMatchObject({ kind: "threw", line: 5 });
  expect(replies[0]?.fault?.message).toMatch(/^TypeError: /);
  expect(kills).toBe(1);
});

test("a sandbox that is removed while it starts leaves no timer, which would keep a command from its end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const pool = makePool();
  // The clock of the start begins when the thread exists.
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  pool.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test("a file that throws while it loads says where", async () => {
  const { replies } = await ask(
    makePool(),
    `const table: Record<string, () => void> = {};\n\ntable.missing();\n`,
    "prefilled",
  );
  expect(replies[0]?.fault).toMatchObject({ kind: "threw", line: 3 });
});

test("a mod that takes more memory than it may is told so, or gone, and the next one runs", async () => {
  const pool = makePool({ limits: { memory: 64 * 2 ** 20 } });
  const hungry = modOf(
    "for (;;) kept.push(new Float64Array(1 << 20).fill(1));",
    "const kept: unknown[] = [];",
  );
  const { replies } = await ask(pool, hungry);
  expect(replies[0]?.fault?.message).toMatch(/out of memory|used up its memory/);
  const after = await ask(pool, modOf("return actions.forceTokens([1]);"));
  expect(after.replies[0]?.action.type).toBe("forceTokens");
});

test("calls in one another end with an error that a mod can catch", async () => {
  const deep = modOf(`const deeper = (level: number): number => deeper(level + 1) + 1;
try { deeper(0); } catch (error) { console.log((error as Error).name); }
try { JSON.parse("[".repeat(1e5)); } catch (error) { console.log((error as Error).name); }`);
  const { replies } = await ask(makePool(), deep);
  expect(replies[0]?.fault).toBeNull();
  expect(replies[0]?.console.map(({ text }) => text)).toEqual(["RangeError", "RangeError"]);
});

test("65 ways to the machine lead to none", async () => {
  process.env.TZ = "Asia/Kolkata";
  const source = `// @ts-nocheck\n${modOf(`console.log(JSON.stringify(${machineLeakAttemptsText(machineLeakAttempts)}));`)}`;
  const { replies } = await ask(makePool(), source);
  expect(replies[0]?.fault).toBeNull();
  const results = JSON.parse(replies[0]?.console[0]?.text ?? "[]") as [string, unknown][];
  expect(results).toHaveLength(machineLeakAttempts.length);
  const leaks = machineLeakAttempts.flatMap(
    (way, place) => findMachineLeak(way, results[place]?.[1], Date.now()) ?? [],
  );
  expect(leaks).toEqual([]);
});

test("behind the scrubbed realm there is no clock and no zone either", async () => {
  process.env.TZ = "Asia/Kolkata";
  expect(new Date(0).getTimezoneOffset()).toBe(-330);
  // A program that replaces the guest's finds QuickJS unchanged.
  const program = hostileGuest(
    `post({ ...reply, action: { type: "error", message: JSON.stringify([new Date(0).getTimezoneOffset(), Date.now(), performance.now(), new Date(0).getHours()]) } });`,
  );
  const { replies } = await ask(makePool({ program }), modOf(""));
  expect(replies[0]?.action).toEqual({ type: "error", message: JSON.stringify([0, 946_684_800_000, 0, 0]) });
});

test("a guest that cannot start says why", async () => {
  const pool = makePool({ program: "nonsense();" });
  await expect(pool.spawn(compiled(modOf("")))).rejects.toThrow(
    "The mod's sandbox could not start: ReferenceError: nonsense is not defined",
  );
});

test("a sandbox that is removed before it has started is said to be", async () => {
  const pool = makePool();
  const spawning = pool.spawn(compiled(modOf("")));
  pool.dispose();
  await expect(spawning).rejects.toThrow("was removed before it started");
});

test("what a mod says of halves of characters arrives as it was said", async () => {
  const { replies } = await ask(
    makePool(),
    modOf(`console.log("\\ud800|\\0|é😀"); return actions.error("\\udfff");`),
  );
  expect(replies[0]?.console[0]?.text).toBe("\ud800|\0|é😀");
  expect(replies[0]?.action).toEqual({ type: "error", message: "\udfff" });
});
