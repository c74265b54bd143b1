/**
 * The settings of a request that does not set them: one table for all surfaces. If surfaces differ, the table says why. docs/http.md
 * shows the table, and `request-defaults.test.ts` holds the two together.
 */
import { defaultSampling, type SamplingSettings } from "./sampling.ts";

/** `run` and `test`: the commands of the command line. `runMod`: midtoken/testing. */
export type DefaultSurface = "chat" | "text" | "responses" | "page" | "run" | "test" | "runMod";

export interface RequestDefaults {
  readonly sampling: SamplingSettings;
  /** Null: as many tokens as the model's context has room for. */
  readonly maxTokens: number | null;
  /** Null: a random seed for each request. */
  readonly seed: number | null;
}

/** Plain sampling, as OpenAI's API has it: clients that say nothing get what they get elsewhere. */
const plain: RequestDefaults = { sampling: defaultSampling, maxTokens: null, seed: null };

/** The most likely token at each step, and one seed: a test gives the same answer each time. */
const repeatable = { sampling: { ...defaultSampling, temperature: 0 }, seed: 1 };

export const requestDefaults = {
  chat: plain,
  /** 16 tokens, as OpenAI's API has it. */
  text: { ...plain, maxTokens: 16 },
  responses: plain,
  /**
   * The first models of a visitor are small: at temperature 1 their text falls apart. 100 tokens fit on a screen. A fixed seed
   * lets a second run show what a mod changed.
   */
  page: { sampling: { ...defaultSampling, temperature: 0.7, topP: 0.95 }, maxTokens: 100, seed: 178 },
  /** Like the API, but with a limit for models that never stop: nobody wants a terminal filled to the end of the context. */
  run: { ...plain, maxTokens: 256 },
  test: { ...repeatable, maxTokens: 128 },
  /** Scripted models answer in a few words. */
  runMod: { ...repeatable, maxTokens: 64 },
} satisfies Readonly<Record<DefaultSurface, RequestDefaults>>;

/** Defaults that are the same on every surface. */
export const sharedDefaults: {
  readonly onModError: "stop";
  readonly toolChoice: "auto";
  readonly parallelToolCalls: true;
} = { onModError: "stop", toolChoice: "auto", parallelToolCalls: true };

/**
 * Whether an answer may have several calls. If the request does not say, an answer that has to be a call is one call: a small
 * model that may add calls writes the same call again and again.
 */
export function allowsSeveralCalls(asked: boolean | null | undefined, toolChoice: unknown): boolean {
  return asked ?? (toolChoice !== "required" && sharedDefaults.parallelToolCalls);
}
