/** The hidden states of a text in every layer, and the tokens of the text that count. */

/** The tokens whose states count: only the last token, which has read the whole text, or the mean of all. */
export const tokenPoolings = ["last", "all"] as const;
export type TokenPooling = (typeof tokenPoolings)[number];

/**
 * The form in which the model reads a text: unchanged, or as a user's message in the chat template, which ends with the token
 * before the answer.
 */
export const textForms = ["text", "message"] as const;
export type TextForm = (typeof textForms)[number];

/** The texts from which a vector is made: texts with the quality that the vector points toward, and similar texts without it. */
export interface VectorTexts {
  readonly toward: readonly string[];
  readonly away: readonly string[];
  readonly tokens: TokenPooling;
  readonly as: TextForm;
}

/** Hidden states after every layer of a model, at the tokens of a text that count. */
export interface TokenStates {
  readonly layerCount: number;
  readonly hiddenSize: number;
  /** By token: `(layers, hidden)`. */
  readonly tokens: readonly Float32Array[];
}

/** Reads a text with a model. Returns the hidden states at the places that `placesOf` returns. */
export type ReadTextStates = (text: string, how: Pick<VectorTexts, "tokens" | "as">) => Promise<TokenStates>;

/** The hidden states of all texts, one row for each text: the mean over the tokens that count, `(layers, hidden)`. */
export interface TextStates {
  readonly layerCount: number;
  readonly hiddenSize: number;
  readonly toward: readonly Float32Array[];
  readonly away: readonly Float32Array[];
}

/** The most tokens of a text that count, evenly spaced: hidden states of every layer take memory. */
export const mostPooledTokens = 128;

/**
 * The places of the tokens whose hidden states count. The first token is left out of a mean: models put unused attention
 * there, and its hidden state is hundreds of times as long as any other (Xiao et al. 2023, "Efficient Streaming Language
 * Models with Attention Sinks").
 */
export function placesOf(tokenCount: number, choice: TokenPooling): number[] {
  if (choice === "last" || tokenCount < 2) return tokenCount < 1 ? [] : [tokenCount - 1];
  const count = Math.min(tokenCount - 1, mostPooledTokens);
  return Array.from(
    { length: count },
    (_, at) => tokenCount - 1 - Math.floor(((count - 1 - at) * (tokenCount - 1)) / count),
  );
}

/**
 * Reads the texts of both lists, one after the other.
 * @param onText receives the number of texts read so far. @throws what `read` throws, and the signal's reason when aborted
 */
export async function readTexts(
  texts: VectorTexts,
  read: ReadTextStates,
  { signal, onText }: { readonly signal?: AbortSignal; onText?(count: number): void } = {},
): Promise<TextStates> {
  let count = 0;
  let sizes = { layerCount: 0, hiddenSize: 0 };
  const readList = async (list: readonly string[]) => {
    const rows: Float32Array[] = [];
    for (const text of list) {
      signal?.throwIfAborted();
      const reading = await read(text, texts);
      sizes = { layerCount: reading.layerCount, hiddenSize: reading.hiddenSize };
      rows.push(meanOverTokens(reading));
      count += 1;
      onText?.(count);
    }
    return rows;
  };
  const toward = await readList(texts.toward);
  const away = await readList(texts.away);
  return { ...sizes, toward, away };
}

/** @throws RangeError if no token was read, or the sizes do not fit together. */
function meanOverTokens({ layerCount, hiddenSize, tokens }: TokenStates): Float32Array {
  if (tokens.length === 0) throw new RangeError("No token of the text was read.");
  const sum = new Float64Array(layerCount * hiddenSize);
  for (const states of tokens) {
    if (states.length !== sum.length)
      throw new RangeError(
        `The hidden states of a token have ${states.length} numbers, but should have ${sum.length}: ${layerCount} layers of ${hiddenSize} numbers.`,
      );
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (states[at] as number);
  }
  return Float32Array.from(sum, (value) => value / tokens.length);
}
