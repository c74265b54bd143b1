/** The listed tokens of a step, and the requests that tell more about the same step. */
import { type ListedLogits, longerList } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { leastLogprob, parseProbabilities, parseStep, type Step } from "./parse-answers.ts";
import { RemoteEngineError } from "./remote-error.ts";
import type { Bias, StepQuestion } from "./step-body.ts";

export type AskAfter = <Answer>(question: StepQuestion, read: (answer: unknown) => Answer) => Promise<Answer>;

interface About {
  readonly text: readonly TokenId[];
  readonly vocabularySize: number;
  readonly nextLogprob: number | null;
}

/** Tokens whose log-probabilities are asked for are raised by this much: all others are then too unlikely to be listed. */
const raise = 100;

export function listedRow(step: Step, about: About, ask: AskAfter): ListedLogits {
  const { text, vocabularySize, nextLogprob } = about;
  const { tokens, logprobs } = sorted(step);
  const best = tokens[0] as TokenId;
  return {
    vocabularySize,
    tokens,
    logprobs,
    nextLogprob,
    list: (count) =>
      ask({ text, listed: count }, (answer) =>
        listedRow(parseStep(answer, { vocabularySize, listed: count }), about, ask),
      ),
    async logprobsOf(wanted) {
      const found = new Map<TokenId, number>();
      for (let from = 0; from < wanted.length; from += longerList) {
        const some = wanted.slice(from, from + longerList);
        // The most likely token is asked for too: probabilities of the answer are told relative to its own.
        const named = [...new Set([best, ...some])];
        const bias = named.map((token): Bias => [token, raise]);
        const question: StepQuestion = { text, listed: named.length, bias, temperature: 1, afterBias: true };
        const shares = await ask(question, (answer) => parseProbabilities(answer, vocabularySize));
        const unit = shares.get(best) ?? 0;
        for (const token of some)
          found.set(token, logprobIn({ share: shares.get(token) ?? 0, unit, best: logprobs[0] as number }));
      }
      return wanted.map((token) => found.get(token) ?? leastLogprob);
    },
    async drawOutside(excluded, temperature, seed) {
      const bias = excluded.map((token): Bias => [token, false]);
      const drawn = await ask({ text, listed: 1, bias, temperature, seed }, (answer) =>
        parseStep(answer, { vocabularySize, listed: 1 }),
      );
      // If all tokens are banned, a server gives a banned one.
      if (!excluded.includes(drawn.token)) return drawn.token;
      throw new RemoteEngineError(
        "shape",
        `The server drew token ${drawn.token}, which was banned. Check the version of the server.`,
      );
    },
  };
}

/** From probabilities under a bias that raised both tokens alike. */
function logprobIn({ share, unit, best }: { share: number; unit: number; best: number }): number {
  if (!(share > 0 && unit > 0)) return leastLogprob;
  return Math.max(leastLogprob, Math.min(0, best + Math.log(share) - Math.log(unit)));
}

/** Most likely first; of equals the lower id first. */
function sorted({ tokens, logprobs }: Step): Pick<ListedLogits, "tokens" | "logprobs"> {
  const places = Array.from(tokens.keys()).sort(
    (a, b) =>
      (logprobs[b] as number) - (logprobs[a] as number) || (tokens[a] as number) - (tokens[b] as number),
  );
  return {
    tokens: Int32Array.from(places, (place) => tokens[place] as number),
    logprobs: Float32Array.from(places, (place) => logprobs[place] as number),
  };
}
