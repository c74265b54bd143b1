/**
 * Watches the worker while it makes a prompt, or opens layers. A chat template or a tokenizer's expression may loop for hours, and the worker
 * hears nothing meanwhile: no stop, no pause. The worker says when it begins and ends a prompt; from this a worker that
 * hangs in one can be told from a worker that computes. A compiler of the device, which layers are opened by, may hang as well.
 */

/** Who wants a prompt: a request by its id, or a tokenization by its number. */
export type PromptOwner = string | number;

export interface PromptWatchOptions {
  /** Milliseconds that a prompt may take; null: as many as nobody cancels it. */
  readonly deadlineMs: number | null;
  /** Milliseconds that the worker may take to end a prompt that is no longer wanted. */
  readonly graceMs: number;
  /** Called once when a prompt has taken too long. The error is for its owner: an AbortError where the prompt was cancelled. */
  onStuck(owner: PromptOwner, error: Error): void;
}

/** Milliseconds. A prompt of 100,000 tokens takes one or two seconds here. */
export const longestPromptMs = 15_000;

export class PromptWatch {
  readonly #options: PromptWatchOptions;
  readonly #cancelled = new Set<PromptOwner>();
  #current: PromptOwner | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PromptWatchOptions) {
    this.#options = options;
  }

  /** The worker begins a prompt. */
  begin(owner: PromptOwner): void {
    this.#current = owner;
    this.#arm();
  }

  /** The worker has ended a prompt, or there is nothing left to end. */
  end(owner: PromptOwner): void {
    this.#cancelled.delete(owner);
    if (this.#current === owner) this.reset();
  }

  /** Whose prompt the worker makes. */
  get current(): PromptOwner | null {
    return this.#current;
  }

  /** The prompt is no longer wanted, whether or not the worker has begun it. */
  cancel(owner: PromptOwner): void {
    this.#cancelled.add(owner);
    if (this.#current === owner) this.#arm();
  }

  /** The worker is gone. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#current = null;
  }

  #arm(): void {
    const owner = this.#current;
    if (owner === null) return;
    const { deadlineMs, graceMs, onStuck } = this.#options;
    clearTimeout(this.#timer);
    const arm = (ms: number, error: () => Error) => {
      this.#timer = setTimeout(() => {
        this.end(owner);
        onStuck(owner, error());
      }, ms);
    };
    if (this.#cancelled.has(owner)) arm(graceMs, stopped);
    else if (deadlineMs !== null) arm(deadlineMs, () => tooLong(deadlineMs));
  }
}

function stopped(): DOMException {
  return new DOMException("The request was stopped before it began.", "AbortError");
}

function tooLong(deadlineMs: number): Error {
  return new Error(
    `The model's chat template or tokenizer did not end this prompt within ${deadlineMs / 1000} s. Shorten the prompt, or choose another model.`,
  );
}
