/** The bench's page for the compiler: thousands of hostile sources, one after the other, as a page would have them compiled; posts its figures. */
import { largestSource } from "../../../src/runtime/sandbox/compiled-mod.ts";
import { createCompiler } from "../../../src/runtime/sandbox/compiler.ts";
import { invalidSource } from "../../../src/runtime/sandbox/testing/invalid-sources.ts";
import type { CompileMetrics } from "./measure-compile.ts";

/** One in twenty as deep as it likes, one in a hundred as large as a mod may be. */
function sourceOf(seed: number): string {
  if (seed % 100 === 1) return invalidSource(seed, "long", largestSource);
  if (seed % 20 === 0) return invalidSource(seed, "deep", 200_000);
  if (seed % 3 === 0) return invalidSource(seed, "deep", 60);
  return invalidSource(seed, seed % 3 === 1 ? "odd" : "long", 4_000);
}

async function measure(count: number): Promise<CompileMetrics> {
  const compiler = createCompiler();
  await compiler.compile("export default 1;");
  let longestBlock = 0;
  // Tasks of the page's own thread that took 50 ms or more, with what keeps them from the processor.
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestBlock = Math.max(longestBlock, duration);
  });
  observer.observe({ type: "longtask" });
  let compiled = 0;
  let givenUp = 0;
  let slowest = 0;
  for (let seed = 0; seed < count; seed++) {
    const source = sourceOf(seed);
    const start = performance.now();
    const result = await compiler.compile(source);
    slowest = Math.max(slowest, performance.now() - start);
    if (result.ok) compiled += 1;
    else if (result.problems[0]?.message.includes("took longer than")) givenUp += 1;
  }
  await new Promise((done) => setTimeout(done, 200));
  observer.disconnect();
  compiler.dispose();
  return { count, compiled, givenUp, slowest, longestBlock };
}

const count = Number(new URLSearchParams(location.search).get("sources"));
const report = await measure(count).then(
  (figures) => ({ figures, failure: null }),
  (error: Error) => ({ figures: null, failure: `${error.message}\n${error.stack}` }),
);
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
