/**
 * Token healing at the end of a question's prompt. A prompt may end within a word, or in a space that the model writes as part
 * of the next word. For example, the tokens of "is Paris" are "is" and " Paris": after a prompt "is ", the model would have to
 * continue with "Paris", which it has rarely seen there. So the last tokens of the prompt are not forced. Instead, the answer
 * must begin with their text, and the model chooses how this text and the answer are split into tokens.
 */
import { type ConstraintState, constraintOf } from "../../masks/masks/constraint.ts";
import { createStrategy, type Strategy } from "../../masks/strategy.ts";
import { hasToken } from "../../masks/vocabulary/token-bits.ts";
import { hasLongerToken } from "../../masks/vocabulary/token-prefixes.ts";
import { vocabularyOf } from "../../masks/vocabulary/vocabulary.ts";
import { countUnfinishedBytes } from "../detokenizer.ts";
import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";

export interface HealedPrompt {
  readonly prompt: readonly TokenId[];
  readonly strategy: Strategy;
  readonly start: ConstraintState;
  /** The end of the prompt, which the answer must begin with; empty if the prompt stays whole. */
  readonly beginning: string;
}

/** Moves the prompt's end into the strategy, unless no token holds both that end and the beginning of an answer. */
export function healPrompt(
  prompt: readonly TokenId[],
  strategy: Strategy,
  tokenizer: Tokenizer,
): HealedPrompt {
  const tail = tailOf(prompt, tokenizer);
  if (tail) {
    const healed = beginningWith(tail.text, strategy);
    const { start } = constraintOf(healed, tokenizer);
    if (joins(start, tail.bytes.length, tokenizer))
      return { prompt: prompt.slice(0, -tail.count), strategy: healed, start, beginning: tail.text };
  }
  return promptWithoutHealing(prompt, strategy, tokenizer);
}

/** The prompt without healing. */
export function promptWithoutHealing(
  prompt: readonly TokenId[],
  strategy: Strategy,
  tokenizer: Tokenizer,
): HealedPrompt {
  return { prompt, strategy, start: constraintOf(strategy, tokenizer).start, beginning: "" };
}

interface Tail {
  readonly count: number;
  readonly bytes: readonly number[];
  readonly text: string;
}

/** The longest run of last tokens whose bytes are the beginning of a longer token; null if there is none. */
function tailOf(prompt: readonly TokenId[], tokenizer: Tokenizer): Tail | null {
  const vocabulary = vocabularyOf(tokenizer);
  let tail: Tail | null = null;
  let bytes: number[] = [];
  for (let count = 1; count <= prompt.length; count++) {
    const own = vocabulary.bytesOf(prompt.at(-count) ?? 0);
    if (own.length === 0 || own.length + bytes.length > vocabulary.longest) break;
    bytes = [...own, ...bytes];
    const all = Uint8Array.from(bytes);
    const isCut = ((bytes[0] ?? 0) & 0xc0) === 0x80 || countUnfinishedBytes(all) > 0;
    if (isCut || !hasLongerToken(vocabulary, all)) continue;
    tail = { count, bytes, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(all) };
  }
  return tail;
}

/** Whether a token has the prompt's end and a part of the answer. */
function joins(start: ConstraintState, length: number, tokenizer: Tokenizer): boolean {
  const vocabulary = vocabularyOf(tokenizer);
  const mask = start.mask();
  for (let token = 0; token < vocabulary.size; token++) {
    if (hasToken(mask, token) && vocabulary.bytesOf(token).length > length) return true;
  }
  return false;
}

/** Strategies with a text in front, by the original strategy and the text. Cached, because masks are cached by strategy. */
const longer = new WeakMap<Strategy, Map<string, Strategy>>();

function beginningWith(text: string, strategy: Strategy): Strategy {
  const known = longer.get(strategy) ?? new Map<string, Strategy>();
  longer.set(strategy, known);
  const found = known.get(text);
  if (found) return found;
  const { kind, build, answerOf } = strategy;
  const made = createStrategy({
    kind,
    build: (expressions) => expressions.sequence(expressions.literal(text), build(expressions)),
    answerOf: (answer) => answerOf(answer.slice(text.length)),
  });
  known.set(text, made);
  return made;
}
