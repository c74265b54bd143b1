/** Log-probabilities of streamed tokens, in the formats of OpenAI's two calls. */
import type { StreamedToken } from "../../core/trace/text/text-stream-events.ts";
import type { ChatLogprobs, TokenLogprob } from "./chat-completion.ts";
import type { TextLogprobs } from "./text-completion.ts";

/** OpenAI's value for an unknown log-probability, because JSON has no infinity. */
const unknownLogprob = -9999;
const encoder = new TextEncoder();

/** @param count how many of the most likely tokens to list for each token */
export function chatLogprobs(tokens: readonly StreamedToken[], count: number): ChatLogprobs {
  const content = tokens.map(({ text, logprob, distribution }) => ({
    ...tokenLogprob(text, logprob),
    top_logprobs: (distribution?.top ?? [])
      .slice(0, count)
      .map((alternative) => tokenLogprob(alternative.text, alternative.logprob)),
  }));
  return { content, refusal: null };
}

/** @param offset UTF-16 offset in the text at which the first token begins. */
export function textLogprobs(tokens: readonly StreamedToken[], count: number, offset: number): TextLogprobs {
  let place = offset;
  const text_offset = tokens.map(({ text }) => {
    const begins = place;
    place += text.length;
    return begins;
  });
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logprob }) => finite(logprob)),
    top_logprobs: tokens.map(({ distribution }) => logprobByText(distribution?.top.slice(0, count) ?? [])),
    text_offset,
  };
}

/** Log-probabilities by text. If several tokens have the same text, the most likely one counts. */
function logprobByText(top: readonly { text: string; logprob: number }[]): Readonly<Record<string, number>> {
  // `fromEntries` makes own properties, even for names such as `__proto__`.
  return Object.fromEntries(top.toReversed().map(({ text, logprob }) => [text, finite(logprob)]));
}

function tokenLogprob(text: string, logprob: number | null): TokenLogprob {
  return { token: text, logprob: finite(logprob), bytes: [...encoder.encode(text)] };
}

const finite = (logprob: number | null): number => Math.max(logprob ?? unknownLogprob, unknownLogprob);
