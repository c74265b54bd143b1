/**
 * Watches the engine's worker for work that nobody wants any more and that does not end. A chat template, a tokenizer's
 * expression or a graph may loop for hours, and the worker hears no message meanwhile: no stop, no pause. The worker says when
 * it begins and ends each piece of work (a load, a request, a reading, a shown prompt). From this the watch knows which piece
 * the worker is in. If that piece is cancelled and does not end in time, `onStuck` is called, and the link replaces the worker.
 */

import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { sameProcess, startDeadline } from "../../sandbox/deadlines.ts";

/** A request by its id; a load, a reading or a shown prompt by its number. */
export type WorkId = string | number;

export interface WorkWatchOptions {
  /** Milliseconds that cancelled work may take to end, counted in this thread's own time; more for a slow model. */
  readonly graceMs: number;
  /** Milliseconds that a prompt may take, also if nobody cancels it; the tokenizer of a model may take twice as long. */
  readonly promptDeadlineMs: number;
  /** Called once when the work has not ended in time. */
  onStuck(of: WorkId, why: StuckReason): void;
}

/** Somebody cancelled the work; or nobody did, and its prompt or the tokenizer of its model took too long. */
export type StuckReason = "cancelled" | "prompt" | "tokenizer";

/** Milliseconds. The promise is that Stop is heard within 2 s; the rest is for starting another worker on a busy machine. */
export const longestStopMs = 1_200;

/**
 * A stop is heard after the pass that runs. If a pass of this model took longer than `longestStopMs`, cancelled work may take as
 * long as two of them, and so many milliseconds at most: a slow machine does not lose its model with every stop.
 */
const passesOfGrace = 2;
const mostGraceMs = 10_000;

/** Milliseconds. A prompt of 100,000 tokens takes one or two seconds here. */
export const longestPromptMs = 15_000;

/** A tokenizer may take as long as two prompts, 30 s: the largest that people use (Gemma's) takes one or two seconds here. */
const promptsOfTokenizer = 2;

export function tokenizerDeadlineMs(promptDeadlineMs: number): number {
  return promptsOfTokenizer * promptDeadlineMs;
}

/** Stops a clock that runs. */
type Clock = () => void;

export class WorkWatch {
  readonly #options: WorkWatchOptions;
  /** The current work of the worker: one piece of queued work, and perhaps a shown prompt in the middle of it. */
  readonly #begun = new Set<WorkId>();
  /** Work that was cancelled and has not ended, with its clock if one runs. */
  readonly #cancelled = new Map<WorkId, Clock | null>();
  /** Milliseconds that the longest pass of the loaded model took. */
  #longestPassMs = 0;
  /** Clocks of the prompts and tokenizers that the worker makes: a shown prompt may come between the slices of another. */
  readonly #prompts = new Map<WorkId, Clock>();

  constructor(options: WorkWatchOptions) {
    this.#options = options;
  }

  hasBegun(of: WorkId): boolean {
    return this.#begun.has(of);
  }

  /** The worker begins the work. */
  begin(of: WorkId): void {
    this.#begun.add(of);
    this.#setClocks();
  }

  /** The worker has ended the work, or refused to begin it. */
  end(of: WorkId): void {
    this.#begun.delete(of);
    this.#cancelled.get(of)?.();
    this.#cancelled.delete(of);
    this.endPrompt(of);
    this.#setClocks();
  }

  /** The worker begins the prompt of work that it has begun. */
  beginPrompt(of: WorkId): void {
    this.#startTextClock(of, this.#options.promptDeadlineMs, "prompt");
  }

  /** The worker begins to make the tokenizer of a model, for work that it has begun. `endPrompt` stops the clock. */
  beginTokenizer(of: WorkId): void {
    this.#startTextClock(of, tokenizerDeadlineMs(this.#options.promptDeadlineMs), "tokenizer");
  }

  #startTextClock(of: WorkId, deadlineMs: number, why: StuckReason): void {
    this.endPrompt(of);
    this.#prompts.set(
      of,
      startDeadline(deadlineMs, sameProcess, () => this.#tell(of, why)),
    );
  }

  endPrompt(of: WorkId): void {
    this.#prompts.get(of)?.();
    this.#prompts.delete(of);
  }

  /** The work is no longer wanted, whether or not the worker has begun it. */
  cancel(of: WorkId): void {
    if (!this.#cancelled.has(of)) this.#cancelled.set(of, null);
    this.#setClocks();
  }

  /** Another model is loaded, whose passes may be quicker. */
  forgetPasses(): void {
    this.#longestPassMs = 0;
  }

  seePasses(records: readonly TraceRecord[]): void {
    for (const record of records) {
      if (record.type !== "forwardPass") continue;
      this.#longestPassMs = Math.max(this.#longestPassMs, record.durationUs / 1_000);
    }
  }

  /** The worker is gone. */
  reset(): void {
    this.forgetPasses();
    for (const of of [...this.#prompts.keys()]) this.endPrompt(of);
    for (const clock of this.#cancelled.values()) clock?.();
    this.#cancelled.clear();
    this.#begun.clear();
  }

  /**
   * A clock runs for cancelled work that the worker is in. If the worker is in nothing, it has to begin cancelled work at once:
   * a worker that does not is dead, and its clock runs as well. Work that waits behind other work has no clock.
   */
  #setClocks(): void {
    const isIdle = this.#begun.size === 0;
    for (const [of, clock] of this.#cancelled) {
      const runs = isIdle || this.#begun.has(of);
      if (runs === (clock !== null)) continue;
      clock?.();
      this.#cancelled.set(of, runs ? this.#startClock(of) : null);
    }
  }

  #startClock(of: WorkId): Clock {
    const ofPasses = Math.min(passesOfGrace * this.#longestPassMs, mostGraceMs);
    const graceMs = Math.max(this.#options.graceMs, ofPasses);
    return startDeadline(graceMs, sameProcess, () => this.#tell(of, "cancelled"));
  }

  #tell(of: WorkId, why: StuckReason): void {
    this.end(of);
    this.#options.onStuck(of, why);
  }
}
