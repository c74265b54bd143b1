/**
 * Watches the engine's worker for cancelled work that does not end. A chat template, a tokenizer's expression or a graph may
 * loop for hours, and meanwhile the worker receives no message: no stop, no pause. The worker reports when it begins and
 * ends each piece of work (a load, a request, a reading, a shown prompt), so the watch knows the current piece. If this
 * piece is cancelled and does not end in time, `onStuck` is called, and the link replaces the worker.
 */

import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { sameProcessPings, startDeadline } from "../../sandbox/deadlines.ts";

/** A request's id (a string), or the number of a load, a reading or a shown prompt. */
export type WorkId = string | number;

export interface WorkWatchOptions {
  /**
   * Milliseconds that cancelled work may take to end; more for a slow model. Time in which this thread does not run does not
   * count.
   */
  readonly graceMs: number;
  /** Milliseconds that a prompt may take, even if nobody cancels it. The tokenizer of a model may take twice as long. */
  readonly promptDeadlineMs: number;
  /** Called once when the work has not ended in time. */
  onStuck(of: WorkId, why: StuckReason): void;
}

/** Either the work was cancelled, or its prompt or the tokenizer of its model took too long. */
export type StuckReason = "cancelled" | "prompt" | "tokenizer";

/**
 * Milliseconds. Midtoken promises that Stop takes effect within 2 s; the rest of this time is for starting another worker on
 * a busy machine.
 */
export const longestStopMs = 1_200;

/**
 * A stop takes effect after the current pass. If two passes of this model take longer than `graceMs`, cancelled work may
 * take as long as two passes, and at most `mostGraceMs`, so that a slow machine does not lose its model at every stop.
 */
const passesOfGrace = 2;
const mostGraceMs = 10_000;

/** Milliseconds. A prompt of 100,000 tokens takes one or two seconds on the development machine. */
export const longestPromptMs = 15_000;

/** A tokenizer may take twice as long as a prompt, so 30 s. The largest in common use, Gemma's, takes one or two seconds on the development machine. */
const promptsOfTokenizer = 2;

export function tokenizerDeadlineMs(promptDeadlineMs: number): number {
  return promptsOfTokenizer * promptDeadlineMs;
}

/** Stops a running clock. */
type Clock = () => void;

export class StuckWorkWatch {
  readonly #options: WorkWatchOptions;
  /**
   * The worker's current work: one piece of queued work, and perhaps a request to show the prompt, which interrupts the
   * queued work.
   */
  readonly #begun = new Set<WorkId>();
  /** Cancelled work that has not ended, with its clock if one runs. */
  readonly #cancelled = new Map<WorkId, Clock | null>();
  /** Milliseconds of the loaded model's longest pass. */
  #longestPassMs = 0;
  /** Clocks of the prompts and tokenizers in progress: a shown prompt may run between the slices of another prompt. */
  readonly #prompts = new Map<WorkId, Clock>();

  constructor(options: WorkWatchOptions) {
    this.#options = options;
  }

  hasBegun(of: WorkId): boolean {
    return this.#begun.has(of);
  }

  /** Called when the worker begins the work. */
  begin(of: WorkId): void {
    this.#begun.add(of);
    this.#setClocks();
  }

  /** Called when the worker has ended the work, or refused to begin it. */
  end(of: WorkId): void {
    this.#begun.delete(of);
    this.#cancelled.get(of)?.();
    this.#cancelled.delete(of);
    this.endPrompt(of);
    this.#setClocks();
  }

  /** Called when the worker begins to make the prompt of its work. */
  beginPrompt(of: WorkId): void {
    this.#startTextClock(of, this.#options.promptDeadlineMs, "prompt");
  }

  /** Called when the worker begins to make a model's tokenizer, for work that it has begun. `endPrompt` stops the clock. */
  beginTokenizer(of: WorkId): void {
    this.#startTextClock(of, tokenizerDeadlineMs(this.#options.promptDeadlineMs), "tokenizer");
  }

  #startTextClock(of: WorkId, deadlineMs: number, why: StuckReason): void {
    this.endPrompt(of);
    this.#prompts.set(
      of,
      startDeadline(deadlineMs, sameProcessPings, () => this.#tell(of, why)),
    );
  }

  endPrompt(of: WorkId): void {
    this.#prompts.get(of)?.();
    this.#prompts.delete(of);
  }

  /** Called when the work is cancelled, whether or not the worker has begun it. */
  cancel(of: WorkId): void {
    if (!this.#cancelled.has(of)) this.#cancelled.set(of, null);
    this.#setClocks();
  }

  /** Called when another model is loaded, whose passes may be faster. */
  forgetPasses(): void {
    this.#longestPassMs = 0;
  }

  seePasses(records: readonly TraceRecord[]): void {
    for (const record of records) {
      if (record.type !== "forwardPass") continue;
      this.#longestPassMs = Math.max(this.#longestPassMs, record.durationUs / 1_000);
    }
  }

  /** Called when the worker has ended. */
  reset(): void {
    this.forgetPasses();
    for (const of of [...this.#prompts.keys()]) this.endPrompt(of);
    for (const clock of this.#cancelled.values()) clock?.();
    this.#cancelled.clear();
    this.#begun.clear();
  }

  /**
   * Starts a clock for cancelled work that the worker is doing. An idle worker must begin cancelled work at once, so a clock
   * runs for this too: without a reaction, the worker is dead. Work that waits behind other work has no clock.
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
    return startDeadline(graceMs, sameProcessPings, () => this.#tell(of, "cancelled"));
  }

  #tell(of: WorkId, why: StuckReason): void {
    this.end(of);
    this.#options.onStuck(of, why);
  }
}
