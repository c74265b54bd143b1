/** Time of single steps over what the server itself takes, in Node or in a page. */
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";
import type { HttpExchange } from "../../../src/runtime/remote/exchange.ts";

/**
 * Milliseconds of each step.
 * @param serverMs how long the server says that it took for the last step
 * @param between called after each step, outside the measured time
 */
export async function stepsOver(
  model: LanguageModel,
  prompt: readonly number[],
  steps: number,
  serverMs: () => number,
  between: () => Promise<void> = async () => {},
): Promise<readonly number[]> {
  let next = prompt;
  const over: number[] = [];
  for (let step = 0; step < steps; step++) {
    const start = performance.now();
    const token = await nextToken(model, next);
    over.push(performance.now() - start - serverMs());
    next = [token];
    await between();
  }
  return over;
}

async function nextToken(model: LanguageModel, tokens: readonly number[]): Promise<number> {
  if (!model.forwardListed) return bestToken(await model.forward(tokens));
  const [row] = await model.forwardListed(tokens, 1, model.listedTokens ?? 0);
  return row?.tokens[0] ?? 0;
}

export interface TimedExchange {
  readonly exchange: HttpExchange;
  /** How long the server computed for the last answer, as it says. */
  serverMs(): number;
  /** The body of the last request. */
  lastBody(): string;
  /** Milliseconds of each request over what the server says. */
  overMs(): readonly number[];
}

/** An exchange that reads how long the server says that it computed. */
export function timedExchange(exchange: HttpExchange): TimedExchange {
  let answer = "";
  let body = "";
  const answers: { ms: number; answer: string }[] = [];
  // The answers are searched for the server's times after the step, which has not to wait for it.
  return {
    async exchange(request) {
      const start = performance.now();
      const reply = await exchange(request);
      const ms = performance.now() - start;
      answer = reply.text;
      body = request.body ?? "";
      answers.push({ ms, answer });
      return reply;
    },
    serverMs: () => serverMsIn(answer),
    lastBody: () => body,
    overMs: () => answers.map(({ ms, answer }) => ms - serverMsIn(answer)),
  };
}

/** How long the server computed for an answer, as the answer says. */
export function serverMsIn(answer: string): number {
  const found = [...answer.matchAll(/"(?:prompt|predicted)_ms":([\d.]+)/g)];
  return found.reduce((sum, [, each]) => sum + Number(each), 0);
}
