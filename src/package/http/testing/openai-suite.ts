/**
 * Checks that OpenAI's own client works with our API, unmodified and with only `baseURL` set. Runs in Node against the handler
 * and in browsers against the service worker, with the bundled story model.
 */
import { answerCases } from "./suite-answers.ts";
import type { SuiteCase, SuiteContext } from "./suite-case.ts";
import { embeddingCases } from "./suite-embeddings.ts";
import { errorCases } from "./suite-errors.ts";
import { responseCases } from "./suite-responses.ts";
import { toolCases } from "./suite-tools.ts";

export const openAiCases: readonly SuiteCase[] = [
  ...answerCases,
  ...toolCases,
  ...responseCases,
  ...embeddingCases,
  ...errorCases,
];

export interface SuiteResult {
  readonly name: string;
  /** Null if the case passed. */
  readonly error: string | null;
}

/** Runs all cases, one after the other. */
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
