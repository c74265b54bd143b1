/** The engine's side of `event.score`: checks the guest's texts, and pauses the deadline while the model computes. */
import { messageOf } from "../../core/base/message-of.ts";
import { type ScoreContinuations, scoreLimits } from "../../core/sdk/score-arguments.ts";
import type { GuestCall } from "./open-questions.ts";
import { type Fields, readCount, readList, violate } from "./parse-values.ts";

type Part = Pick<GuestCall, "deadline" | "what">;

interface OpenScores {
  readonly score: ScoreContinuations | undefined;
  /** The deadline for the mod's work after it gets its scores. */
  readonly part: Part;
  calls: number;
  /** Whether the model is computing scores for this event. */
  isBusy: boolean;
  /** Settles when the last call of the event is answered. */
  last: Promise<void>;
}

export interface HostTokenScoringOptions {
  /** Pauses the deadline of the first open question. */
  readonly pause: () => void;
  /** Resumes the deadline and sends the guest its scores. */
  readonly goOn: (
    sequence: number,
    part: Part,
    answer: { readonly logprobs: readonly number[]; readonly error: string | null },
  ) => void;
}

export class HostTokenScoring {
  readonly #options: HostTokenScoringOptions;
  /** Events with scores in progress, by their number. */
  readonly #open = new Map<number, OpenScores>();

  constructor(options: HostTokenScoringOptions) {
    this.#options = options;
  }

  add(sequence: number, score: ScoreContinuations | undefined, part: Part): void {
    this.#open.set(sequence, { score, part, calls: 0, isBusy: false, last: Promise.resolve() });
  }

  /** Called when the event is answered. Settles when the model computes nothing for it any more. */
  async end(sequence: number): Promise<void> {
    const open = this.#open.get(sequence);
    this.#open.delete(sequence);
    await open?.last;
  }

  /** @throws ProtocolViolation for a message that an honest guest never sends. */
  receive(message: Fields, sequence: number, vocabularySize: number): void {
    const open =
      this.#open.get(sequence) ?? violate("the mod calls score at an event that does not offer score");
    if (message.sequence !== sequence)
      violate(`the mod calls score for another event than event ${sequence}`);
    if (open.isBusy) violate("the mod calls score while an earlier call of score is in progress");
    open.calls += 1;
    if (open.calls > scoreLimits.calls)
      violate(`the mod calls score ${open.calls} times at one event; the limit is ${scoreLimits.calls}`);
    const continuations = readContinuations(message.continuations, vocabularySize);
    open.isBusy = true;
    this.#options.pause();
    open.last = this.#answer(open, sequence, continuations);
  }

  async #answer(
    open: OpenScores,
    sequence: number,
    continuations: readonly (readonly number[])[],
  ): Promise<void> {
    let answer: { logprobs: readonly number[]; error: string | null };
    try {
      if (!open.score) throw new Error("score(…) is not available at this event.");
      answer = { logprobs: await open.score(continuations), error: null };
    } catch (error) {
      answer = { logprobs: [], error: messageOf(error) };
    }
    open.isBusy = false;
    this.#options.goOn(sequence, open.part, answer);
  }
}

function readContinuations(value: unknown, vocabularySize: number): readonly (readonly number[])[] {
  const lists = readList(value, scoreLimits.continuations, "continuations");
  if (lists.length === 0) violate("the list of continuations is empty");
  return lists.map((list) => {
    const tokens = readList(list, scoreLimits.tokens, "a continuation to score");
    if (tokens.length === 0) violate("a continuation to score is empty");
    return tokens.map((token) => readCount(token, vocabularySize - 1, "a token"));
  });
}
