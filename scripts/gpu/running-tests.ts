/**
 * A reporter of Playwright that names the tests which have run for a while and have not ended. The reporter "list" names a test at
 * its end alone: of a run that is cut off it would not tell which test took the time.
 */
import type { Reporter, TestCase } from "@playwright/test/reporter";

/** Milliseconds between two looks, and from which on a running test is named. */
const lookMs = 20_000;

export default class RunningTests implements Reporter {
  readonly #running = new Map<TestCase, number>();
  readonly #write: (line: string) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(_options?: unknown, write: (line: string) => void = console.error) {
    this.#write = write;
  }

  onBegin(): void {
    this.#timer = setInterval(() => this.#tell(lookMs), lookMs);
    this.#timer.unref();
  }

  onTestBegin(test: TestCase): void {
    this.#running.set(test, performance.now());
  }

  onTestEnd(test: TestCase): void {
    this.#running.delete(test);
  }

  /** Playwright calls it also if the run is interrupted. */
  onEnd(): void {
    clearInterval(this.#timer);
    this.#tell(0);
  }

  printsToStdio(): boolean {
    return false;
  }

  #tell(atLeast: number): void {
    for (const [test, begun] of this.#running) {
      const ms = performance.now() - begun;
      if (ms < atLeast) continue;
      const name = test.titlePath().filter(Boolean).join(" › ");
      this.#write(`still running after ${Math.round(ms / 1000)} s: ${name}`);
    }
  }
}
