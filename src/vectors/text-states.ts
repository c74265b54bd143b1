/** What a model's layers hold of a text, and which tokens of it count. */

/** Which tokens of a text count: its last one, which has read all of it, or the mean of all. */
export const tokenChoices = ["last", "all"] as const;
export type TokenChoice = (typeof tokenChoices)[number];

/** Hidden states behind every layer of a model, at some tokens of a text. */
export interface TextReading {
  readonly layerCount: number;
  readonly hiddenSize: number;
  /** By token: `(layers, hidden)`. */
  readonly tokens: readonly Float32Array[];
}

/** Reads a text through a model, at the places that `placesOf` gives for its tokens. */
export type ReadText = (text: string, choice: TokenChoice) => Promise<TextReading>;

/**
 * The places whose hidden states count, of so many tokens. The first token is left out of a mean: models rest their attention there,
 * and its hidden state is hundreds of times as long as any other (Xiao et al. 2023, "Efficient Streaming Language Models with
 * Attention Sinks").
 */
export function placesOf(tokenCount: number, choice: TokenChoice): number[] {
  if (choice === "last" || tokenCount < 2) return tokenCount < 1 ? [] : [tokenCount - 1];
  return Array.from({ length: tokenCount - 1 }, (_, place) => place + 1);
}

/** The mean over the tokens that were read, `(layers, hidden)`. @throws RangeError where no token was read, or the sizes do not fit together. */
export function meanOverTokens({ layerCount, hiddenSize, tokens }: TextReading): Float32Array {
  if (tokens.length === 0) throw new RangeError("No token of the text was read.");
  const sum = new Float64Array(layerCount * hiddenSize);
  for (const states of tokens) {
    if (states.length !== sum.length)
      throw new RangeError(
        `${states.length} numbers were read at a token, and ${layerCount} layers of ${hiddenSize} are ${sum.length}.`,
      );
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (states[at] as number);
  }
  return Float32Array.from(sum, (value) => value / tokens.length);
}
