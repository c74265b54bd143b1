/** One way to generate, timed as every other. */
import type { TokenId } from "../../../src/core/sdk/request.ts";

/** The result of a greedy generation. */
export interface Generated {
  readonly tokens: readonly TokenId[];
  /** As it was delivered, piece by piece. */
  readonly text: string;
  /** Milliseconds from the delivery of the first token to the end, divided by the tokens after the first: no prefill in it. */
  readonly perTokenMs: number;
  /** Milliseconds from the call to the first token. */
  readonly firstTokenMs: number;
}

export interface Rival {
  readonly prompt: readonly TokenId[];
  /** Greedy, from the prompt, `count` tokens. @throws Error when the sequence ends before. */
  generate(count: number): Promise<Generated>;
  /** The same from where it last ended, with what it remembers of the text; at first from the prompt. */
  goOn(count: number): Promise<Generated>;
  dispose(): Promise<void>;
}

/** Which files, and what the user says. */
export interface Subject {
  readonly id: string;
  /** Absolute path on this server; ends in `/`. */
  readonly folder: string;
  readonly dtype: string;
  /** One message of the user. */
  readonly content: string;
}

/** @throws Error when a generation did not give `count` tokens: its mean would not be comparable. */
export function checkCount(who: string, tokens: readonly TokenId[], count: number): void {
  if (tokens.length === count) return;
  throw new Error(`${who} ended after ${tokens.length} tokens instead of ${count}. Choose a longer answer.`);
}
