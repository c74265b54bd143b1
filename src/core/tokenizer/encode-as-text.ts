/**
 * Encodes a prompt in which names of special tokens that people wrote stay text. The caller replaced the first character of
 * each such name by a private character. The tokenizer finds special tokens while these characters stand in the text; they
 * are restored right before the text is split into words.
 */
import type { Tokenizer } from "@huggingface/tokenizers";
import type { RestoreText } from "./restore-text.ts";

/**
 * Runs `make`, whose calls of `tokenizer.encode` restore the text late.
 * @param names names of tokens that a restored text must not become
 */
export function withSpecialNamesAsText<Made>(
  tokenizer: Tokenizer,
  names: ReadonlySet<string>,
  restore: RestoreText,
  make: () => Made,
): Made {
  const { pre_tokenizer: split, model } = tokenizer;
  const splitRestored = (text: string, options?: unknown) =>
    split === null ? [restore(text)] : (split as unknown as SplitText)(restore(text), options);
  const { tokens_to_ids, unk_token_id } = model as NonNullable<typeof model>;
  tokenizer.pre_tokenizer = splitRestored as unknown as Tokenizer["pre_tokenizer"];
  const spell = modelWithout(names, model as unknown as SpellWords);
  tokenizer.model = Object.assign(spell, { tokens_to_ids, unk_token_id }) as unknown as Tokenizer["model"];
  try {
    return make();
  } finally {
    tokenizer.pre_tokenizer = split;
    tokenizer.model = model;
  }
}

type SplitText = (text: string, options?: unknown) => string[];
type SpellWords = (words: string[]) => string[];

/** Wraps the model's spelling of words. Some vocabularies have these names as entries: then the word is spelled in two parts. */
function modelWithout(names: ReadonlySet<string>, spell: SpellWords): SpellWords {
  const spellWord = (word: string): string[] => {
    const entries = spell([word]);
    const name = entries.find((entry) => entry.length > 1 && names.has(entry) && word.includes(entry));
    if (name === undefined) return entries;
    const cut = word.indexOf(name) + 1;
    return [...spellWord(word.slice(0, cut)), ...spellWord(word.slice(cut))];
  };
  return (words) => {
    const entries = spell(words);
    return entries.some((entry) => names.has(entry)) ? words.flatMap(spellWord) : entries;
  };
}
