/**
 * The compiler's worker from the page's side: it compiles one source at a time, each source once, and none longer than its
 * deadline.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ProgramPartError } from "../../core/base/import-part.ts";
import { compileSource } from "./compile.ts";
import { largestSource } from "./compiled-mod.ts";
import { type Compiler, createCompiler } from "./compiler.ts";
import { longestCompileMs } from "./deadlines.ts";
import {
  type CompileThread,
  type CompileThreadOptions,
  startCompileThread,
} from "./testing/compile-thread.ts";
import { invalidSource } from "./testing/invalid-sources.ts";

let threads: CompileThread[];
let compiler: Compiler;
let options: CompileThreadOptions;

beforeEach(() => {
  threads = [];
  options = { isEndless: (source) => source.startsWith("endless") };
  compiler = createCompiler(() => {
    const thread = startCompileThread(options);
    threads.push(thread);
    return thread.worker;
  });
});
afterEach(() => {
  compiler.dispose();
  vi.useRealTimers();
});

const sent = () => threads.flatMap(({ sources }) => sources);
/** Lets messages in transit arrive. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const firstProblem = async (result: ReturnType<Compiler["compile"]>) => {
  const answer = await result;
  return answer.ok ? null : answer.problems[0];
};

test("the page itself carries no parser: what it imports at once leads to none", () => {
  const seen = new Set<string>();
  const packages: string[] = [];
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const statements = readFileSync(path, "utf8").matchAll(
      /^(?:import|export) (?!type )[^;"]*?from "([^"]+)";/gms,
    );
    for (const [, name = ""] of statements) {
      if (name.startsWith(".")) visit(join(path, "..", name));
      else packages.push(name);
    }
  };
  visit("src/runtime/session/page-side/client.ts");
  // The page's end of the compiler is loaded with the first source.
  expect([...seen]).toContain("src/runtime/session/page-side/spawn-mods.ts");
  expect([...seen]).not.toContain("src/runtime/sandbox/compiler.ts");
  visit("src/runtime/sandbox/compiler.ts");
  expect([...seen]).not.toContain("src/runtime/sandbox/compile.ts");
  expect(packages.filter((name) => name.startsWith("sucrase"))).toEqual([]);
  visit("src/runtime/sandbox/compile-worker.ts");
  expect(packages.filter((name) => name.startsWith("sucrase"))).not.toEqual([]);
});

test("whatever the source, it is compiled or refused with words, and the same as without the worker", async () => {
  const kinds = fc.constantFrom("deep", "long", "odd");
  await fc.assert(
    fc.asyncProperty(fc.nat(), kinds, async (seed, kind) => {
      const source = invalidSource(seed, kind, kind === "deep" ? 48 : 2_000);
      const result = await compiler.compile(source);
      expect(result).toEqual(compileSource(source));
      if (!result.ok) expect(result.problems[0]?.message).toMatch(/\w+.*\.$/s);
    }),
    { numRuns: 300 },
  );
});

test("a source whose compilation does not end is given up, and the next one is compiled", async () => {
  vi.useFakeTimers();
  const endless = firstProblem(compiler.compile("endless"));
  const next = compiler.compile("1;");
  await settle();
  expect(sent()).toEqual(["endless"]);
  await vi.advanceTimersByTimeAsync(longestCompileMs - 1);
  expect(threads).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await endless).toMatchObject({ message: expect.stringContaining("longer than 1.5 s"), line: null });
  expect(await next).toMatchObject({ ok: true });
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([true, false]);
});

test("what took too long is tried again when it is asked for again", async () => {
  vi.useFakeTimers();
  const first = compiler.compile("endless");
  await vi.advanceTimersByTimeAsync(longestCompileMs);
  await first;
  options = {};
  expect(await compiler.compile("endless")).toMatchObject({ ok: true });
});

test("a source that is too large is refused with its size and the limit, and parsed nowhere", async () => {
  const source = " ".repeat(largestSource + 1);
  expect(await firstProblem(compiler.compile(source))).toMatchObject({
    message: "The mod has 1,000,001 characters; the limit is 1,000,000. Shorten the mod.",
  });
  expect(threads).toHaveLength(0);
});

test("a source is compiled once, asked for together or later", async () => {
  const [first, second] = await Promise.all([compiler.compile("1;"), compiler.compile("1;")]);
  expect(second).toBe(first);
  expect(await compiler.compile("1;")).toBe(first);
  expect(sent()).toEqual(["1;"]);
});

test("of many sources the last are kept", async () => {
  const sources = Array.from({ length: 80 }, (_, index) => `${index};`);
  for (const source of sources) await compiler.compile(source);
  await compiler.compile("79;");
  expect(sent()).toHaveLength(80);
  await compiler.compile("0;");
  expect(sent()).toHaveLength(81);
});

test("of large results few are kept", async () => {
  const sources = Array.from({ length: 20 }, (_, index) => `/*${index}${" ".repeat(500_000)}*/`);
  for (const source of sources) await compiler.compile(source);
  await compiler.compile(sources.at(-1) as string);
  expect(sent()).toHaveLength(20);
  await compiler.compile(sources[0] as string);
  expect(sent()).toHaveLength(21);
});

test("a source that nobody waits for any more is dropped, under way or not, and the newer one is compiled", async () => {
  vi.useFakeTimers();
  const [first, second] = [new AbortController(), new AbortController()];
  const dropped = [compiler.compile("endless 1", first.signal), compiler.compile("endless 2", second.signal)];
  const wanted = compiler.compile("3;");
  const ends = Promise.allSettled(dropped);
  await settle();
  second.abort();
  first.abort();
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await wanted).toMatchObject({ ok: true });
  expect(sent()).toEqual(["endless 1", "3;"]);
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  await expect(compiler.compile("4;", first.signal)).rejects.toThrow(/abort/i);
});

test("a source for which someone still waits goes on", async () => {
  vi.useFakeTimers();
  const leaving = new AbortController();
  const left = Promise.allSettled([compiler.compile("1;", leaving.signal)]);
  const stays = compiler.compile("1;");
  leaving.abort();
  await left;
  expect(await stays).toMatchObject({ ok: true });
  expect(sent()).toEqual(["1;"]);
});

test.each([
  [undefined, ProgramPartError, "The mod compiler could not be fetched."],
  ["SyntaxError: odd", Error, "The mod compiler could not start: SyntaxError: odd"],
])(
  "a worker that fails before it is there (%s) fails all that wait, and the next call starts another",
  async (words, kind, message) => {
    options = { starts: false };
    const ends = Promise.allSettled([compiler.compile("1;"), compiler.compile("2;")]);
    await Promise.resolve();
    threads[0]?.fail(words);
    for (const end of await ends) {
      expect(end).toMatchObject({ status: "rejected", reason: expect.any(kind) });
      expect(end).toMatchObject({ reason: { message } });
    }
    options = {};
    expect(await compiler.compile("1;")).toMatchObject({ ok: true });
  },
);

test("a worker that never comes is no hang", async () => {
  vi.useFakeTimers();
  options = { starts: false };
  const ends = Promise.allSettled([compiler.compile("1;")]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await ends).toMatchObject([{ reason: { message: expect.stringContaining("within 20 s") } }]);
  expect(threads[0]?.isEnded).toBe(true);
});

test("a browser that starts no worker says so", async () => {
  const without = createCompiler(() => {
    throw new Error("Workers are switched off.");
  });
  await expect(without.compile("1;")).rejects.toThrow("could not start: Workers are switched off.");
});

test("a worker that breaks over a source refuses that source, and compiles the next one", async () => {
  vi.useFakeTimers();
  const broken = firstProblem(compiler.compile("endless"));
  const next = compiler.compile("1;");
  await settle();
  threads[0]?.fail("out of memory");
  expect((await broken)?.message).toContain("out of memory");
  expect(await next).toMatchObject({ ok: true });
});
