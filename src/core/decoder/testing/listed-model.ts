/** A server that lists the most likely tokens, made of whole rows in this thread. */
import { randomBits, uniformRandom } from "../../base/random.ts";
import { distributionOf } from "../logits/distribution.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { ListedLogits } from "../ports/listed-logits.ts";

/** The settings of the server, and how often it was asked each question. */
export interface TopTokenServer extends Pick<ListedLogits, "serverDraws"> {
  readonly listed: number;
  /** The most tokens that a list has; all unless given. */
  readonly mostListed?: number | undefined;
  /** How often a list was requested that is longer than the first one. */
  lists: number;
  /** How often log-probabilities of named tokens were requested. */
  named: number;
  /** How many tokens the server drew. */
  draws: number;
}

export function createTopTokenServer(
  listed: number,
  { mostListed, serverDraws = true }: Partial<Pick<TopTokenServer, "mostListed" | "serverDraws">> = {},
): TopTokenServer {
  return { listed, mostListed, serverDraws, lists: 0, named: 0, draws: 0 };
}

/** Log-probabilities of a row of logits. */
export function logprobsOf(logits: Float32Array): Float32Array {
  const { logSumExp } = distributionOf(logits);
  return logits.map((logit) => logit - logSumExp);
}

/** @param logprobs of all tokens */
export function listedOf(
  server: TopTokenServer,
  logprobs: Float32Array,
  count = server.listed,
  next?: number,
): ListedLogits {
  const of = (token: number): number => logprobs[token] as number;
  const ranked = Array.from(logprobs.keys()).sort((a, b) => of(b) - of(a) || a - b);
  const tokens = Int32Array.from(ranked.slice(0, count));
  return {
    vocabularySize: logprobs.length,
    tokens,
    logprobs: Float32Array.from(tokens, of),
    nextLogprob: next === undefined ? null : of(next),
    mostListed: server.mostListed ?? logprobs.length,
    serverDraws: server.serverDraws,
    async list(more) {
      if (more > this.mostListed) throw new RangeError(`${more} tokens are more than the server lists.`);
      server.lists += 1;
      return listedOf(server, logprobs, more, next);
    },
    async logprobsOf(wanted) {
      server.named += 1;
      return wanted.map(of);
    },
    async drawOutside(excluded, temperature, seed) {
      server.draws += 1;
      const left = ranked.filter((token) => !excluded.includes(token));
      if (temperature === 0) return left[0] as number;
      const weights = left.map((token) => Math.exp(of(token) / temperature));
      let target = uniformRandom(randomBits(seed, 1), 2) * weights.reduce((sum, weight) => sum + weight, 0);
      const place = weights.findIndex((weight) => {
        target -= weight;
        return target < 0;
      });
      return left.at(place) as number;
    },
  };
}

/** The most tokens that a step lists of these models. */
const mostListedThere = 100;

/** The same model, whose logits come as a server lists them: only the most likely tokens. */
export function withListedLogits<Model extends LanguageModel>(server: TopTokenServer, model: Model): Model {
  const { vocabularySize } = model;
  return Object.assign(Object.create(model) as Model, {
    listedTokens: server.listed,
    mostListed: mostListedThere,
    returnsLogprobs: true,
    async forwardListed(tokens: readonly number[], rows: number, listed: number) {
      const logits = await model.forward(tokens, rows);
      const count = logits.length / vocabularySize;
      return Array.from({ length: count }, (_, row) => {
        const own = logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
        return listedOf(server, logprobsOf(own), listed, tokens[tokens.length - count + row + 1]);
      });
    },
  });
}
