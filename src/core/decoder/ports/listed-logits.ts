/** Part of a step's logits: the most likely tokens, as a server lists them. Other values need another request to the server. */
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";

/** The settings with which a server draws each token that it makes. */
export interface ServerDrawing extends Pick<SamplingSettings, "temperature" | "topK" | "topP" | "minP"> {
  /** The seed of the request. A server that draws again for another step or stream gets another seed, which follows from this seed. */
  readonly seed: number;
}

/** A token that a server drew from the model's own logits. */
export interface ServerDraw {
  readonly token: TokenId;
  /** Its log-probability before temperature and cut-offs; null if the server did not tell. */
  readonly logprob: number | null;
}

/** The log-probabilities come from the model, before any edit or setting: the probabilities of all tokens add up to 1. */
export interface ListedLogits {
  readonly vocabularySize: number;
  /** Most likely first. No unlisted token is more likely than the last one. */
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  /** Log-probability of the token that follows in the text, listed or not; null after the last token. */
  readonly nextLogprob: number | null;
  /** A token that the server drew after this text, listed or not. */
  readonly drawn?: ServerDraw | null;
  /** The most tokens that `list` gives. */
  readonly mostListed: number;
  /** False: the user allows no token that the server drew with its own random numbers. */
  readonly serverDraws: boolean;
  /** The `count` most likely tokens after the same text. @param count at most `mostListed` */
  list(count: number): Promise<ListedLogits>;
  /** Log-probabilities of these tokens, listed or not, in their order. */
  logprobsOf(tokens: readonly TokenId[]): Promise<ArrayLike<number>>;
  /** A token that the server draws among the tokens that are not excluded; at temperature 0 the most likely of them. */
  drawOutside(excluded: readonly TokenId[], temperature: number, seed: number): Promise<TokenId>;
}

/** Length of the second list, which the engine asks for if the first list does not decide a step. */
export const longerListLength = 1_024;
