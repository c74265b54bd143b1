/** Time of single steps over what the server itself takes, in Node or in a page. */
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";
import type { HttpExchange } from "../../../src/runtime/remote/exchange.ts";

/** Milliseconds of each step. @param serverMs how long the server says that it took for the last step */
export async function stepsOver(
  model: LanguageModel,
  prompt: readonly number[],
  steps: number,
  serverMs: () => number,
): Promise<readonly number[]> {
  let next = prompt;
  const over: number[] = [];
  for (let step = 0; step < steps; step++) {
    const start = performance.now();
    const token = await nextToken(model, next);
    over.push(performance.now() - start - serverMs());
    next = [token];
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
  /** Milliseconds of each request over what the server says. */
  overMs(): readonly number[];
}

/** An exchange that reads how long the server says that it computed. */
export function timedExchange(exchange: HttpExchange): TimedExchange {
  let last = 0;
  const over: number[] = [];
  return {
    async exchange(request) {
      const start = performance.now();
      const reply = await exchange(request);
      const ms = performance.now() - start;
      const found = [...reply.text.matchAll(/"(?:prompt|predicted)_ms":([\d.]+)/g)];
      last = found.reduce((sum, [, each]) => sum + Number(each), 0);
      over.push(ms - last);
      return reply;
    },
    serverMs: () => last,
    overMs: () => over,
  };
}
