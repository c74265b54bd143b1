/** Refuses a prompt that does not fit the model's context, without tokenizing all of it. */
import { countWithNoun, formatCount } from "../../../core/base/number-text.ts";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import { PromptError } from "./prompt-error.ts";

/**
 * The first attempt tokenizes this many characters for each token of the context. In most texts a token has three to five
 * characters.
 */
const charactersOfToken = 8;
/** Cutting inside a word may change a few tokens near the cut; this many is a safe bound. */
const cutTokens = 64;
/** How many characters before a cut are searched for white space. */
const lookBack = 200;

/**
 * The tokens of a text. If a text is much too long, its beginning is tokenized, and twice as much each time, until it has
 * more tokens than the context. In steps, because tokenizing 1 MB may take a second, and a stop must take effect.
 * @param mostTokens size of the context; undefined: no limit
 * @throws PromptError, with the numbers, if a beginning of the text has too many tokens. A text that is only a little too long is
 * not refused here: the caller compares the number of tokens.
 */
export function* encodeWithin(
  text: string,
  encode: (text: string) => ResumableWork<TokenId[]>,
  mostTokens: number | undefined,
): ResumableWork<TokenId[]> {
  if (mostTokens === undefined) return yield* encode(text);
  const { length } = text;
  for (let size = charactersOfToken * (mostTokens + cutTokens); size < length; size *= 2) {
    const end = cutBefore(text, size);
    const { length: count } = yield* encode(text.slice(0, end));
    if (count <= mostTokens + cutTokens) continue;
    throw new PromptError(
      `The prompt is too long: the first ${formatCount(end)} of its ${countWithNoun(length, "character")} are already ${countWithNoun(count, "token")}, but the model's context holds only ${countWithNoun(mostTokens, "token")}. Shorten the prompt.`,
      { code: "context_length_exceeded" },
    );
  }
  return yield* encode(text);
}

/** A position at white space; without any, a position that does not split a surrogate pair. */
function cutBefore(text: string, size: number): number {
  for (let at = size; at > size - lookBack; at--) if (/\s/.test(text.charAt(at))) return at;
  const unit = text.charCodeAt(size);
  return unit >= 0xdc00 && unit < 0xe000 ? size - 1 : size;
}
