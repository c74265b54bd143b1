/**
 * The unanswered questions to a guest, in order. A guest answers one question after the other, so only the first question's
 * deadline runs; the next one starts when the first is answered.
 */
import type { ModFault } from "../../core/decoder/ports/mod-host.ts";
import {
  type ExceededLimit,
  graceDeadlines,
  longestProcessStandstillMs,
  repliesBeforeGrace,
  startDeadline,
} from "./deadlines.ts";
import type { FramePings } from "./frame-pings.ts";
import type { Fields } from "./parse-values.ts";

export type GuestReply = { readonly message: Fields } | { readonly fault: ModFault };

export interface GuestCall {
  /** Counts from 1; 0 while the mod loads. */
  readonly sequence: number;
  /** Milliseconds that the mod may take. */
  readonly deadline: number;
  /** The work that the deadline limits, in words that follow "did not". */
  readonly what: string;
}

interface OpenQuestion extends GuestCall {
  resolve(answer: GuestReply): void;
}

export class PendingGuestCalls {
  readonly #pings: FramePings;
  readonly #onLate: (words: string) => void;
  readonly #open: OpenQuestion[] = [];
  #stopClock: () => void = () => undefined;
  /** The number of answers so far, including the answer to the load. */
  #answers = 0;
  /** Whether the mod has used its `graceDeadlines`. */
  #wasLate = false;

  /** `onLate` gets a sentence without its subject, the mod's name. It says what the mod did not do in time. */
  constructor(pings: FramePings, onLate: (words: string) => void) {
    this.#pings = pings;
    this.#onLate = onLate;
  }

  get count(): number {
    return this.#open.length;
  }

  /** The question that must be answered next. */
  get first(): GuestCall | undefined {
    return this.#open[0];
  }

  /** Adds a question. Settles when it is answered, after all questions before it. */
  add(question: GuestCall): Promise<GuestReply> {
    return new Promise((resolve) => {
      this.#open.push({ ...question, resolve });
      if (this.#open.length === 1) this.#startClock(question);
    });
  }

  /** Stops the deadline of the first question until `beginPart`, because the guest waits for the engine. */
  pause(): void {
    this.#stopClock();
  }

  /** Starts the deadline of the next part of the first question. */
  beginPart(part: Pick<GuestCall, "deadline" | "what">): void {
    this.#stopClock();
    this.#startClock(part);
  }

  /** Answers the first question. */
  answer(reply: GuestReply): void {
    const question = this.#open.shift();
    if (!question) return;
    this.#stopClock();
    this.#answers += 1;
    const next = this.#open[0];
    if (next) this.#startClock(next);
    question.resolve(reply);
  }

  /** Answers all questions with a fault, because the guest is gone. */
  fail(fault: ModFault): void {
    this.#stopClock();
    for (const question of this.#open.splice(0)) question.resolve({ fault });
  }

  /** `before`: milliseconds of the deadline that have already passed. */
  #startClock({ deadline, what }: Pick<GuestCall, "deadline" | "what">, before = 0): void {
    const words = {
      deadline: `did not ${what} within ${before + deadline} ms and was stopped.`,
      standstill: `did not ${what} and was stopped: its sandbox did not respond for ${longestProcessStandstillMs} ms. Possible reasons: a mod has used up the memory, the machine is too busy, or the browser has put this tab to sleep.`,
    } as const satisfies Record<ExceededLimit, string>;
    this.#stopClock = startDeadline(deadline, this.#pings, (by) => {
      if (by === "deadline" && this.#answers >= repliesBeforeGrace && !this.#wasLate) {
        this.#wasLate = true;
        this.#startClock({ deadline: graceDeadlines * deadline, what }, deadline);
        return;
      }
      this.#onLate(words[by]);
    });
  }
}
