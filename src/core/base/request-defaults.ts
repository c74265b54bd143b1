/**
 * The default settings of requests: one table for all surfaces. If surfaces differ, the table says why. docs/http.md shows the
 * table, and `request-defaults.test.ts` compares both.
 */
import { defaultSampling, type SamplingSettings } from "./sampling.ts";

/** `run` and `test`: the commands of the command line. `runMod`: midtoken/testing. */
export type RequestDefaultsSurface = "chat" | "text" | "responses" | "page" | "run" | "test" | "runMod";

export interface RequestDefaults {
  readonly sampling: SamplingSettings;
  /** Null: as many tokens as the model's context has room for. */
  readonly maxTokens: number | null;
  /** Null: a random seed for each request. */
  readonly seed: number | null;
}

/** Plain sampling, the default of OpenAI's API: clients that set nothing get the same result as from other servers. */
const plain: RequestDefaults = { sampling: defaultSampling, maxTokens: null, seed: null };

/** The most likely token at each step, and a fixed seed, so that a test has the same result each time. */
const repeatable = { sampling: { ...defaultSampling, temperature: 0 }, seed: 1 };

export const requestDefaults = {
  chat: plain,
  /** 16 tokens, the default of OpenAI's API. */
  text: { ...plain, maxTokens: 16 },
  responses: plain,
  /**
   * A visitor's first models are small, and at temperature 1 small models write nonsense. 100 tokens fit on a screen. With a
   * fixed seed, a second run shows what a mod changed.
   */
  page: { sampling: { ...defaultSampling, temperature: 0.7, topP: 0.95 }, maxTokens: 100, seed: 178 },
  /** Like the API, but with a limit: a model that never stops must not fill the terminal. */
  run: { ...plain, maxTokens: 256 },
  test: { ...repeatable, maxTokens: 128 },
  /** Fewer tokens, because scripted models answer in a few words. */
  runMod: { ...repeatable, maxTokens: 64 },
} satisfies Readonly<Record<RequestDefaultsSurface, RequestDefaults>>;

/** Defaults that are the same on every surface. */
export const sharedDefaults: {
  readonly onModError: "stop";
  readonly toolChoice: "auto";
  readonly parallelToolCalls: true;
} = { onModError: "stop", toolChoice: "auto", parallelToolCalls: true };

/**
 * Whether an answer may have several calls. By default, an answer that must be a call has one call only: a small model that
 * may add calls repeats the same call again and again.
 */
export function allowsSeveralCalls(asked: boolean | null | undefined, toolChoice: unknown): boolean {
  return asked ?? (toolChoice !== "required" && sharedDefaults.parallelToolCalls);
}
