// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources of mods.
/** Measures how much resident memory of the process a mod in QuickJS takes, by kind of value, because an error message alone would not prove it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { performTask } from "../../../../e2e/sandbox/mod-task.ts";
import { compileMod } from "../../../runtime/sandbox/compile.ts";
import { serializeTokenizer } from "../../../runtime/sandbox/port-mod-host.ts";
import type { SandboxPool } from "../../../runtime/sandbox/sandbox-pool.ts";
import { lettersTokenizer } from "../../../runtime/sandbox/testing/letters.ts";
import { measurePeakMemory, megabyte } from "../testing/peak-memory.ts";
import { createQuickJsPool } from "./quickjs-pool.ts";

const patientMs = 60_000;
const deadlines = { load: patientMs, prefilled: patientMs, event: patientMs };
/** A mod may be slow while memory is refused to it. The deadline ends it, and it has taken no more memory. */
const hungryMs = 1_000;

async function ask(pool: SandboxPool, source: string, event = patientMs, memory?: number) {
  const compiled = compileMod(source, "hungry");
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  const guest = await pool.spawn(compiled, memory);
  return performTask(
    { ...guest, seed: 1, deadlines: { ...deadlines, event }, events: ["added", "added"] },
    guest.kill,
  );
}

/** @param body body of the handler of `added`; `kept` is a list that lives as long as the mod */
const modOf = (body: string) =>
  `// @ts-nocheck\nimport { mod } from "midtoken/mod";\nconst kept: unknown[] = [];\nexport default mod({ added(event, actions) { ${body} } });\n`;
const forceOneToken = modOf("return actions.forceTokens([1]);");

/** Each takes memory without end. The second text catches the error and continues, so an error does not end the attempt. */
const hungry: readonly (readonly [string, string])[] = [
  ["typed arrays that are filled", "kept.push(new Float64Array(1 << 16).fill(1));"],
  [
    "one typed array that doubles",
    "const last = kept[0] ?? new Uint8Array(1024); kept[0] = new Uint8Array(last.length * 2).fill(7);",
  ],
  ["array buffers", "kept.push(new ArrayBuffer(1 << 20));"],
  [
    "array buffers that grow",
    "kept[0] ??= new ArrayBuffer(1, { maxByteLength: 2 ** 31 - 1 }); kept[0].resize(kept[0].byteLength * 2); new Uint8Array(kept[0]).fill(7);",
  ],
  ["texts of one byte a character", `kept.push("x".repeat((1 << 20) + kept.length));`],
  ["texts of two bytes a character", `kept.push("é€".repeat((1 << 19) + kept.length));`],
  [
    "one text that doubles",
    `kept[0] = (kept[0] ?? "x€") + (kept[0] ?? "x€"); kept[0].charCodeAt(kept[0].length >> 1);`,
  ],
  ["texts that are joined", `kept.push(["a".repeat(1000), kept.length].join(""));`],
  [
    "names of properties",
    "const names = kept[0] ??= {}; kept[1] = (kept[1] ?? 0) + 1; names[`name ${kept[1]} of many`] = 1;",
  ],
  ["symbols", "kept.push(Symbol(`s${kept.length}`));"],
  ["whole numbers without end", "kept[0] = (kept[0] ?? 3n) * (kept[0] ?? 3n); kept.push(kept[0] + 1n);"],
  ["lists of numbers", "kept.push(new Array(1 << 16).fill(1.5));"],
  ["small objects", "kept.push({ a: 1, b: [2], c: { d: 3 } });"],
  ["maps", "const map = kept[0] ??= new Map(); map.set(map.size, { size: map.size });"],
  ["sets", "const set = kept[0] ??= new Set(); set.add(`${set.size}`);"],
  ["functions", "kept.push(((number) => () => number)(kept.length));"],
  [
    "generators that wait",
    "const made = (function* (number) { yield number; yield 1; })(kept.length); made.next(); kept.push(made);",
  ],
  ["promises that wait", "kept.push(new Promise(() => {}).then(() => 1));"],
  ["jobs that wait", "queueMicrotask(() => kept.length);"],
  ["errors with their stacks", "kept.push(new Error(`error ${kept.length}`));"],
  ["expressions", "kept.push(new RegExp(`[a-z]{${kept.length % 900}}(?:${kept.length})`, 'u'));"],
  ["proxies of proxies", "kept[0] = new Proxy(kept[0] ?? {}, {}); kept.push(kept[0]);"],
  ["dates", "kept.push(new Date(kept.length));"],
  ["JSON", "kept[0] = JSON.stringify([kept[0] ?? 'x', kept[0] ?? 'x']);"],
  ["bytes of texts", `kept.push(new TextEncoder().encode("€".repeat(1 << 18)));`],
  ["base64", `kept.push(btoa("x".repeat(1 << 18)));`],
  ["pieces of a split", `kept.push("a,".repeat(1 << 16).split(","));`],
  ["matches of an expression", `kept.push([..."ab".repeat(1 << 14).matchAll(/a/g)]);`],
];

/**
 * The messages for a mod without memory. If memory is refused slowly, the mod misses its deadline, or its sandbox does not
 * respond.
 */
const usedUp = /memory|did not reply|Invalid|too long|too large|length/i;

/** Memory of a thread and its realm that does not count for the limit: V8's own heap, code, stack. */
const beside = 64 * megabyte;

describe.each([
  [32, hungry],
  [128, hungry.slice(0, 2)],
] as const)("under a limit of %i MB", (limit, kinds) => {
  let pool: SandboxPool;
  beforeAll(async () => {
    pool = createQuickJsPool({ limits: { memory: limit * megabyte } });
    pool.prepare(serializeTokenizer({ ...lettersTokenizer, vocabSize: 257 }));
    await ask(pool, forceOneToken);
  });
  afterAll(() => pool.dispose());

  test.each(kinds)("%s", async (_, take) => {
    const source = modOf(`for (;;) { ${take} }`);
    const { result, peak } = await measurePeakMemory(() => ask(pool, source, hungryMs));
    expect(result.replies[0]?.fault?.message).toMatch(usedUp);
    expect(peak).toBeLessThan(limit * megabyte + beside);
    const after = await ask(pool, forceOneToken);
    expect(after.replies[0]?.action.type).toBe("forceTokens");
  });
});

/** Takes arrays until memory is refused, and reports how many megabytes it got. */
const countMegabytes = modOf(
  "try { for (;;) kept.push(new Uint8Array(1 << 20).fill(1)); } catch { const got = kept.length; kept.length = 0; return actions.forceTokens([got]); }",
);

test("a mod has its own limit in a sandbox that was warm before, and the other mods keep theirs", async () => {
  const pool = createQuickJsPool({ limits: { memory: 128 * megabyte } });
  try {
    pool.prepare(serializeTokenizer({ ...lettersTokenizer, vocabSize: 257 }));
    const megabytes = async (memory?: number): Promise<number> => {
      const { replies } = await ask(pool, countMegabytes, patientMs, memory);
      const [action] = replies.map((reply) => reply.action);
      return action?.type === "forceTokens" ? (action.tokens[0] ?? 0) : 0;
    };
    const all = await megabytes();
    expect(all).toBeGreaterThan(80);
    const some = await megabytes(32 * megabyte);
    expect(some).toBeGreaterThan(4);
    expect(some).toBeLessThan(32);
    expect(await megabytes()).toBe(all);
    // The pool's limit holds too.
    expect(await megabytes(2 ** 31)).toBe(all);
  } finally {
    pool.dispose();
  }
});

/** Each message would be copied from the guest's memory to the thread's, and from there to the engine's. */
const largeMessages: readonly (readonly [string, string, RegExp])[] = [
  ["an error", `return actions.error("x".repeat(2 ** 23));`, /a message of \d+ characters; the limit is/],
  [
    "arguments of a call",
    `return actions.toolCalls({ name: "f", arguments: JSON.stringify("y".repeat(2 ** 23)) });`,
    /a message of \d+ characters; the limit is/,
  ],
];

test.each(largeMessages)(
  "a message too large to copy is refused before it is copied: %s",
  async (_, body, message) => {
    const limit = 256 * megabyte;
    const pool = createQuickJsPool({ limits: { memory: limit } });
    try {
      await ask(pool, forceOneToken);
      const { result, peak } = await measurePeakMemory(() => ask(pool, modOf(body)));
      expect(result.replies[0]?.fault).toMatchObject({
        kind: "threw",
        message: expect.stringMatching(message),
      });
      expect(peak).toBeLessThan(limit + beside);
    } finally {
      pool.dispose();
    }
  },
);
