/** The listed tokens of a step, and the requests that tell more about the same step. */
import { type ListedLogits, longerListLength } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { TextStart } from "./growing-text.ts";
import {
  hasNoProbabilities,
  leastLogprob,
  parseProbabilities,
  parseToken,
  type ServerStep,
} from "./parse-responses.ts";
import { RemoteEngineError } from "./remote-error.ts";
import type { StepQuestion, TokenBias } from "./step-body.ts";

export interface StepQueries {
  /** The list of a step. */
  step(question: StepQuestion): Promise<ServerStep>;
  /** @throws what `read` throws */
  answer<Answer>(question: StepQuestion, read: (answer: unknown) => Answer): Promise<Answer>;
}

interface About extends Pick<ListedLogits, "serverDraws" | "drawn"> {
  readonly text: TextStart;
  readonly vocabularySize: number;
  readonly nextLogprob: number | null;
}

/** Tokens whose log-probabilities are asked for are raised by this much: all others are then too unlikely to be listed. */
const raise = 100;
/** The token that the step made stands this much above the most likely token. */
const margin = 7;
/** Draws until the server draws a token with probabilities. */
const mostDraws = 8;

export function createListedLogits(step: ServerStep, about: About, ask: StepQueries): ListedLogits {
  const { text, vocabularySize, serverDraws } = about;
  const { tokens, logprobs } = sorted(step);
  return {
    vocabularySize,
    tokens,
    logprobs,
    nextLogprob: about.nextLogprob,
    // Whole rows take the server long, and it gives them.
    mostListed: vocabularySize,
    serverDraws,
    drawn: about.drawn ?? null,
    list: async (count) =>
      createListedLogits(await ask.step({ text: text.tokens(), listed: count }), about, ask),
    async logprobsOf(wanted) {
      const found = new Map<TokenId, number>();
      for (const [place, token] of tokens.entries()) found.set(token, logprobs[place] as number);
      const missing = wanted.filter((token) => !found.has(token));
      for (let from = 0; from < missing.length; from += longerListLength) {
        const some = missing.slice(from, from + longerListLength);
        const named = await namedLogprobs(
          step,
          some,
          { text: text.tokens(), vocabularySize, best: logprobs[0] as number },
          ask,
        );
        for (const [token, logprob] of named) found.set(token, logprob);
      }
      return wanted.map((token) => found.get(token) ?? leastLogprob);
    },
    async drawOutside(excluded, temperature, seed) {
      const bias = excluded.map((token): TokenBias => [token, false]);
      return ask.answer({ text: text.tokens(), listed: 1, bias, temperature, seed }, (answer) => {
        const drawn = parseToken(answer, vocabularySize);
        // If all tokens are banned, a server gives a banned one.
        if (!excluded.includes(drawn)) return drawn;
        throw new RemoteEngineError(
          "shape",
          `The server sampled token ${drawn}, which was banned. Check the version of the server.`,
        );
      });
    },
  };
}

interface Named {
  readonly text: readonly TokenId[];
  readonly vocabularySize: number;
  /** The log-probability of the most likely token. */
  readonly best: number;
}

/**
 * Log-probabilities of tokens, from probabilities under a bias that raises all of them. The token that the step made is raised
 * further: the server nearly always draws it, and it is never part of a character, for which a server leaves probabilities out.
 */
async function namedLogprobs(
  { token: made, logprob }: ServerStep,
  tokens: readonly TokenId[],
  { text, vocabularySize, best }: Named,
  ask: StepQueries,
): Promise<ReadonlyMap<TokenId, number>> {
  const further = best - logprob + margin;
  const bias: TokenBias[] = [[made, raise + further], ...tokens.map((token): TokenBias => [token, raise])];
  const question: StepQuestion = { text, listed: bias.length, bias, temperature: 1, afterBias: true };
  for (let seed = 0; seed < mostDraws; seed++) {
    const shares = await ask.answer({ ...question, seed }, (answer) =>
      hasNoProbabilities(answer) && seed < mostDraws - 1 ? null : parseProbabilities(answer, vocabularySize),
    );
    if (!shares) continue;
    const unit = { share: shares.get(made) ?? 0, logprob: logprob + further };
    return new Map(tokens.map((token) => [token, logprobIn(shares.get(token) ?? 0, unit)]));
  }
  throw new Error("The server answered the last step with neither probabilities nor an error.");
}

/** From probabilities under a bias: the token of the unit has this log-probability, raised as far as the others. */
function logprobIn(share: number, unit: { readonly share: number; readonly logprob: number }): number {
  if (!(share > 0 && unit.share > 0)) return leastLogprob;
  return Math.max(leastLogprob, Math.min(0, unit.logprob + Math.log(share) - Math.log(unit.share)));
}

/** Most likely first; of equals the lower id first. */
function sorted({ tokens, logprobs }: ServerStep): Pick<ListedLogits, "tokens" | "logprobs"> {
  if (isSorted(tokens, logprobs)) return { tokens, logprobs };
  const places = Array.from(tokens.keys()).sort(
    (a, b) =>
      (logprobs[b] as number) - (logprobs[a] as number) || (tokens[a] as number) - (tokens[b] as number),
  );
  return {
    tokens: Int32Array.from(places, (place) => tokens[place] as number),
    logprobs: Float32Array.from(places, (place) => logprobs[place] as number),
  };
}

/** Servers list the most likely tokens first. Tokens with equal log-probabilities may have any order. */
function isSorted(tokens: Int32Array, logprobs: Float32Array): boolean {
  for (let place = 1; place < tokens.length; place++) {
    const difference = (logprobs[place - 1] as number) - (logprobs[place] as number);
    if (difference < 0) return false;
    if (difference === 0 && (tokens[place - 1] as number) > (tokens[place] as number)) return false;
  }
  return true;
}
