/**
 * A reporter of vitest that ends a run which shows no progress and names the unfinished files, and that prints the slowest files
 * at the end. Each worker ends its own file earlier (setup.ts); this reporter stands behind the workers: a worker may not
 * start, and vitest's own process may hang.
 */
import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { startWatchdog, testFileLimitMs, type Watchdog } from "./watchdog.ts";

/** Milliseconds more than a file may take: the worker of a file that hangs is ended first, and other files go on. */
const patienceMs = 60_000;
const slowestCount = 10;
/** Runs of fewer files do not list their slowest files. */
const fewestFiles = 50;

export default class ProgressReporter implements Reporter {
  readonly #unfinished = new Set<string>();
  #root = "";
  #watchdog: Watchdog | null = null;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunStart(): void {
    this.#watchdog ??= startWatchdog({
      limitMs: testFileLimitMs + patienceMs,
      failure: "The unit tests showed no progress for %s s and are ended. Unfinished test files:",
    });
    this.#progress();
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#unfinished.add(relative(this.#root, moduleId));
    this.#progress();
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#unfinished.delete(relative(this.#root, moduleId));
    this.#progress();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#watchdog?.watch(null);
    for (const file of this.#unfinished) console.error(`Test file that did not end: ${file}`);
    if (modules.length < fewestFiles) return;
    const slowest = modules
      .map((module) => ({ file: relative(this.#root, module.moduleId), ms: tookMs(module) }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, slowestCount);
    console.log("Slowest test files (seconds, with imports):");
    for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(8)}  ${file}`);
  }

  #progress(): void {
    this.#watchdog?.watch([...this.#unfinished].join("\n  ") || "(no file has begun)");
  }
}

function tookMs(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return collectDuration + duration;
}
