/** Checks the arguments of a pass. */
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";

/** @throws RangeError if no model could run this call of `LanguageModel.forward`. */
export function checkForwardCall(
  { length, capacity, vocabularySize }: Pick<LanguageModel, "length" | "capacity" | "vocabularySize">,
  tokens: readonly number[],
  rows: number,
): void {
  const count = tokens.length;
  if (count === 0) throw new RangeError("forward() was called with no tokens. Give at least one token.");
  if (!Number.isInteger(rows) || rows < 1 || rows > count) {
    throw new RangeError(
      `forward() was asked for ${rows} rows of logits for ${count} tokens. Ask for 1 to ${count}.`,
    );
  }
  for (let i = 0; i < count; i++) {
    const token = tokens[i] as number;
    if (!Number.isInteger(token) || token < 0 || token >= vocabularySize) {
      throw new RangeError(
        `Token ${token} is outside the vocabulary of ${vocabularySize} tokens: ids are 0 to ${vocabularySize - 1}.`,
      );
    }
  }
  if (length + count > capacity) {
    throw new RangeError(
      `The context has ${length} tokens, and ${count} more do not fit: the model's limit is ${capacity} tokens. Shorten the prompt or lower the token limit.`,
    );
  }
}
