/**
 * What OpenAI's own client, unmodified and with only `baseURL` set, has to do with our API. Runs in Node against the handler and
 * in browsers against the service worker. Each case is on the bundled story model; those of `chatCases` are on a chat model.
 */
import type OpenAI from "openai";
import { answerCases } from "./suite-answers.ts";
import { errorCases } from "./suite-errors.ts";
import { toolCases } from "./suite-tools.ts";

export interface SuiteContext {
  readonly client: OpenAI;
  readonly model: string;
  /** Names of registered mods: one that never lets the model say " Lily", one that takes text back, one that throws. */
  readonly mods: { readonly noLily: string; readonly takesBack: string; readonly broken: string };
}

export interface SuiteCase {
  readonly name: string;
  /** Rejects where the client gets something else than it should. */
  run(context: SuiteContext): Promise<void>;
}

export const openAiCases: readonly SuiteCase[] = [...answerCases, ...toolCases, ...errorCases];

export interface SuiteResult {
  readonly name: string;
  /** Null where the case passed. */
  readonly error: string | null;
}

/** Every case, one after the other. */
export async function runSuite(
  cases: readonly SuiteCase[],
  context: SuiteContext,
): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const { name, run } of cases) {
    const error = await run(context).then(
      () => null,
      (reason: unknown) => String((reason as Error).stack ?? reason),
    );
    results.push({ name, error });
  }
  return results;
}
