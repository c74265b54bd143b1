/** A model for tests that says what its script says: with probabilities that are known, at once, without files. */
import { checkOptionKeys } from "../../core/base/known-keys.ts";
import { scriptedModel } from "../../core/decoder/testing/scripted-model.ts";
import {
  createTokenizer,
  type ModelTokenizer,
  type TokenizerData,
} from "../../core/tokenizer/create-tokenizer.ts";
import type { ModelBundle } from "../../runtime/engine/load/load-model.ts";
import { createPromptFormatter, promptsOf } from "../../runtime/engine/prompt/chat-template.ts";
import { thinkingMode } from "../../runtime/engine/prompt/thinking.ts";
import { nextTexts, readScript, readStep, type Script, type ScriptStep, type StepTexts } from "./script.ts";
import { endToken, endTokenId, scriptedTokenizer, type TurnName, turnTokens } from "./scripted-tokenizer.ts";

/** One turn of the prompt, as the model reads it. Calls of tools stand in its text: `<tool_call>…</tool_call>`. */
export interface ScriptedTurn {
  readonly role: TurnName;
  readonly text: string;
}

export interface ScriptedModelOptions {
  /** "scripted" unless given. */
  readonly id?: string;
  /**
   * The model's answer. A function gets the turns of the prompt, so that the answer to a tool's result can differ from the
   * answer to the question. The function must be pure: the model calls it at each token.
   */
  readonly script: Script | ((turns: readonly ScriptedTurn[]) => Script);
  /**
   * Asked before the script, at each token: a step overrides it, null leaves it. For what stands in no script, such as the
   * answer to a hidden question. Its texts have to be one token each: name them in `vocabulary`.
   */
  readonly next?: (answer: string, turns: readonly ScriptedTurn[]) => ScriptStep | null;
  /** Texts that are one token each, beside all bytes and the texts of a script that is no function. */
  readonly vocabulary?: readonly string[];
  /** Tokens that its context holds; 4,096 unless given. */
  readonly capacity?: number;
}

/** For `createTestEngine` and `runMod`. */
export interface ScriptedModel {
  readonly id: string;
  /** As mods have it: each byte is a token, each text of the script, and each of `vocabulary`. */
  readonly tokenizer: ModelTokenizer;
  /** A fresh model, with nothing in its KV cache. */
  open(): ModelBundle;
}

/**
 * @example
 * const model = createScriptedModel({ script: ["Hello", { " world": 0.9, " there": 0.1 }, "!"] });
 *
 * @throws TypeError, RangeError for a script that cannot be said.
 */
export function createScriptedModel(options: ScriptedModelOptions): ScriptedModel {
  checkOptionKeys("createScriptedModel", options, {
    id: true,
    script: true,
    next: true,
    vocabulary: true,
    capacity: true,
  });
  const { id = "scripted", script, next, vocabulary = [], capacity = 4096 } = options;
  const fixed = typeof script === "function" ? null : readScript(script);
  const own = (fixed ?? []).flatMap((texts) => [...texts.keys()]);
  const tokenizerData = scriptedTokenizer([...own, ...vocabulary]);
  const tokenizer = createTokenizer(tokenizerData);
  const bytes = bytesOf(tokenizer);
  const spell = speller(bytes);

  function stepAfter(context: readonly number[]): StepTexts {
    const { turns, answer } = readContext(context, bytes);
    const override = next?.(unicode(answer), turns) ?? null;
    if (override !== null) return checkedTokens(readStep(override, "What `next` gave"), tokenizer);
    const steps = fixed ?? readScript((script as (turns: readonly ScriptedTurn[]) => Script)(turns));
    return nextTexts(answer, steps.map(binaryTexts)) ?? new Map([[endToken, 1]]);
  }

  return {
    id,
    tokenizer,
    open: () => bundleOf({ id, tokenizer, tokenizerData, capacity }, (context) => spell(stepAfter(context))),
  };
}

type Row = ArrayLike<number>;

function bundleOf(
  parts: {
    readonly id: string;
    readonly tokenizer: ModelTokenizer;
    readonly tokenizerData: TokenizerData;
    readonly capacity: number;
  },
  logits: (context: readonly number[]) => Row,
): ModelBundle {
  const { id, tokenizer, tokenizerData, capacity } = parts;
  const { vocabSize: vocabularySize } = tokenizerData;
  const formatter = createPromptFormatter(tokenizerData.tokenizerConfig, tokenizer);
  const about = { file: "", adapter: "scripted", reason: "It says what its script says.", bytes: 0 };
  return {
    model: scriptedModel({ vocabularySize, endOfSequence: [endTokenId], logits, capacity }),
    tokenizer,
    tokenizerData,
    ...promptsOf(formatter),
    generationConfig: {},
    info: {
      id,
      device: "wasm",
      vocabularySize,
      capacity,
      chatTemplate: true,
      thinking: thinkingMode(formatter.thinking),
      ...about,
    },
  };
}

/** Bytes as text, a character each: so a token that ends in the middle of a character is text too. */
type Binary = string;

const binary = (text: string): Binary => String.fromCharCode(...new TextEncoder().encode(text));
const unicode = (bytes: Binary): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));

function binaryTexts(texts: StepTexts): StepTexts {
  return new Map([...texts].map(([text, share]) => [text === endToken ? text : binary(text), share]));
}

/** The bytes of each token, in the order of ids; "" for tokens that mark turns. */
function bytesOf(tokenizer: ModelTokenizer): readonly Binary[] {
  return Array.from({ length: tokenizer.vocabSize }, (_, token) =>
    String.fromCharCode(...tokenizer.tokenBytes(token)),
  );
}

/** The turns of a context, and the answer so far: what stands after the last turn that began. */
function readContext(
  context: readonly number[],
  bytes: readonly Binary[],
): { turns: ScriptedTurn[]; answer: Binary } {
  const turns: ScriptedTurn[] = [];
  let role: TurnName | null = null;
  let text = "";
  for (const token of context) {
    const begun = turnTokens.get(token);
    if (begun !== undefined || token === endTokenId) {
      // A prompt without a chat template has no turn of the user's own.
      if (role !== null || text !== "") turns.push({ role: role ?? "user", text: unicode(text) });
      role = begun ?? null;
      text = "";
    } else text += bytes[token] ?? "";
  }
  return { turns, answer: text };
}

/** Logit of what the script does not say, where it leaves no probability for it: 2 in a thousand million. */
const unsaid = -20;

/** A row of logits in which each text begins with its most likely token: the longest that it begins with. */
function speller(bytes: readonly Binary[]): (texts: StepTexts) => Row {
  const ids = new Map(bytes.map((text, token) => [text, token]));
  const longestToken = bytes.reduce((most, text) => Math.max(most, text.length), 0);
  const firstToken = (text: string): number => {
    if (text === endToken) return endTokenId;
    for (let length = Math.min(longestToken, text.length); ; length -= 1) {
      const token = ids.get(text.slice(0, length));
      if (token !== undefined) return token;
    }
  };
  return (texts) => {
    const shares = new Map<number, number>();
    for (const [text, share] of texts) {
      const token = firstToken(text);
      shares.set(token, (shares.get(token) ?? 0) + share);
    }
    const rest = 1 - [...shares.values()].reduce((sum, share) => sum + share, 0);
    const other = rest > 1e-9 ? Math.log(rest / (bytes.length - shares.size)) : unsaid;
    const row = new Float32Array(bytes.length).fill(other);
    for (const [token, share] of shares) row[token] = Math.log(share);
    return row;
  };
}

/** @throws Error for a text that is not one token. */
function checkedTokens(texts: StepTexts, tokenizer: ModelTokenizer): StepTexts {
  for (const text of texts.keys()) {
    if (text === endToken || tokenizer.encode(text).length === 1) continue;
    throw new Error(
      `What \`next\` gave has the text ${JSON.stringify(text)}, which is not one token: add it to \`vocabulary\`.`,
    );
  }
  return binaryTexts(texts);
}
