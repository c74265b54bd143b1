/** Refuses a prompt that does not fit the model's context without tokenizing all of it. */
import type { Steps } from "../../../core/base/steps.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import { PromptError } from "./prompt-error.ts";

/** Characters for each token of the context that are tokenized at first: most texts have three to five. */
const charactersOfToken = 8;
/** A cut in a word changes how the tokens around it fall, by a few. */
const cutTokens = 64;
/** Characters before a cut that are searched for a better place. */
const lookBack = 200;

/**
 * The tokens of a text. A text that is much too long is tokenized from its beginning, each time twice as much, until that has
 * more tokens than the context holds: 1 MB in one piece may take a second. In steps, so that a stop is heard.
 * @param mostTokens that the context holds; undefined: any number
 * @throws PromptError with the numbers
 */
export function* encodeWithin(
  text: string,
  encode: (text: string) => Steps<TokenId[]>,
  mostTokens: number | undefined,
): Steps<TokenId[]> {
  if (mostTokens === undefined) return yield* encode(text);
  const { length } = text;
  for (let size = charactersOfToken * (mostTokens + cutTokens); size < length; size *= 2) {
    const end = cutBefore(text, size);
    const { length: count } = yield* encode(text.slice(0, end));
    if (count <= mostTokens + cutTokens) continue;
    throw new PromptError(
      `The prompt is too long: its first ${end} of ${length} characters are ${count} tokens, and the model's context holds ${mostTokens}. Shorten the prompt.`,
      { code: "context_length_exceeded" },
    );
  }
  return yield* encode(text);
}

/** A place at white space, or at least between two characters. */
function cutBefore(text: string, size: number): number {
  for (let at = size; at > size - lookBack; at--) if (/\s/.test(text.charAt(at))) return at;
  const unit = text.charCodeAt(size);
  return unit >= 0xdc00 && unit < 0xe000 ? size - 1 : size;
}
