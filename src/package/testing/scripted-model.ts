/** A model for tests that says what its script says: with known probabilities, without delay, without files. */
import { checkOptionKeys } from "../../core/base/known-keys.ts";
import { scriptedModel } from "../../core/decoder/testing/scripted-model.ts";
import {
  createTokenizer,
  type ModelTokenizer,
  type TokenizerData,
} from "../../core/tokenizer/create-tokenizer.ts";
import type { ModelBundle } from "../../runtime/engine/load/load-model.ts";
import { createPromptFormatter, promptFunctionsOf } from "../../runtime/engine/prompt/chat-template.ts";
import { thinkingMode } from "../../runtime/engine/prompt/thinking.ts";
import {
  nextTextProbabilities,
  readScript,
  readStep,
  type Script,
  type ScriptStep,
  type StepTextProbabilities,
} from "./script.ts";
import {
  endToken,
  endTokenId,
  scriptedTokenizer,
  type TurnName,
  turnNamesByToken,
} from "./scripted-tokenizer.ts";

/** One turn of the prompt, as the model reads it. Its text contains tool calls as `<tool_call>…</tool_call>`. */
export interface ScriptedTurn {
  readonly role: TurnName;
  readonly text: string;
}

export interface ScriptedModelOptions {
  /** By default "scripted". */
  readonly id?: string;
  /**
   * The model's output. A function gets the turns of the prompt, so that the output after a tool's result can differ from
   * the output after a question. The function must be pure: the model calls it for every token.
   */
  readonly script: Script | ((turns: readonly ScriptedTurn[]) => Script);
  /**
   * Called before the script for every token: a returned step replaces the script's step; null keeps it. For outputs that
   * are not in the script, such as the reply to a hidden question. Each of its texts must be one token, so name it in
   * `vocabulary`.
   */
  readonly next?: (answer: string, turns: readonly ScriptedTurn[]) => ScriptStep | null;
  /** Texts that are one token each, in addition to all bytes and to the texts of a script that is not a function. */
  readonly vocabulary?: readonly string[];
  /** Size of the context in tokens; by default 4,096. */
  readonly capacity?: number;
}

/** A model for `createTestEngine` and `runMod`. */
export interface ScriptedModel {
  readonly id: string;
  /** The tokenizer that mods get: each byte, each text of the script and each text of `vocabulary` is a token. */
  readonly tokenizer: ModelTokenizer;
  /** A new model with an empty KV cache. */
  open(): ModelBundle;
}

/**
 * @example
 * const model = createScriptedModel({ script: ["Hello", { " world": 0.9, " there": 0.1 }, "!"] });
 *
 * @throws TypeError, RangeError for an invalid script.
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
  const spell = createLogitsMaker(bytes);

  function stepAfter(context: readonly number[]): StepTextProbabilities {
    const { turns, answer } = readContext(context, bytes);
    const override = next?.(unicode(answer), turns) ?? null;
    if (override !== null) return checkedTokens(readStep(override, "What `next` gave"), tokenizer);
    const steps = fixed ?? readScript((script as (turns: readonly ScriptedTurn[]) => Script)(turns));
    return nextTextProbabilities(answer, steps.map(binaryTexts)) ?? new Map([[endToken, 1]]);
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
  const infoFields = { file: "", adapter: "scripted", reason: "It says what its script says.", bytes: 0 };
  return {
    model: scriptedModel({ vocabularySize, endOfSequence: [endTokenId], logits, capacity }),
    tokenizer,
    tokenizerData,
    ...promptFunctionsOf(formatter),
    generationConfig: {},
    info: {
      id,
      device: "wasm",
      vocabularySize,
      capacity,
      chatTemplate: true,
      thinking: thinkingMode(formatter.thinking),
      ...infoFields,
    },
  };
}

/** Bytes as text, one character for each byte, so that a token which ends within a character is a text too. */
type Binary = string;

const binary = (text: string): Binary => String.fromCharCode(...new TextEncoder().encode(text));
const unicode = (bytes: Binary): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));

function binaryTexts(texts: StepTextProbabilities): StepTextProbabilities {
  return new Map([...texts].map(([text, share]) => [text === endToken ? text : binary(text), share]));
}

/** The bytes of each token, in the order of ids; "" for tokens that begin turns. */
function bytesOf(tokenizer: ModelTokenizer): readonly Binary[] {
  return Array.from({ length: tokenizer.vocabSize }, (_, token) =>
    String.fromCharCode(...tokenizer.tokenBytes(token)),
  );
}

/** The turns of a context, and the output so far, which is the text after the beginning of the last turn. */
function readContext(
  context: readonly number[],
  bytes: readonly Binary[],
): { turns: ScriptedTurn[]; answer: Binary } {
  const turns: ScriptedTurn[] = [];
  let role: TurnName | null = null;
  let text = "";
  for (const token of context) {
    const begun = turnNamesByToken.get(token);
    if (begun !== undefined || token === endTokenId) {
      // A prompt without a chat template has no beginning of a turn, so its text counts as the user's.
      if (role !== null || text !== "") turns.push({ role: role ?? "user", text: unicode(text) });
      role = begun ?? null;
      text = "";
    } else text += bytes[token] ?? "";
  }
  return { turns, answer: text };
}

/** Logit of all other tokens if the script leaves no probability for them: 2 in a thousand million. */
const otherTokensLogit = -20;

/** Makes rows of logits. For each text, its first token is the longest token with which the text begins. */
function createLogitsMaker(bytes: readonly Binary[]): (texts: StepTextProbabilities) => Row {
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
    const restProbability = 1 - [...shares.values()].reduce((sum, share) => sum + share, 0);
    const otherLogit =
      restProbability > 1e-9 ? Math.log(restProbability / (bytes.length - shares.size)) : otherTokensLogit;
    const row = new Float32Array(bytes.length).fill(otherLogit);
    for (const [token, share] of shares) row[token] = Math.log(share);
    return row;
  };
}

/** @throws Error if a text is not one token. */
function checkedTokens(texts: StepTextProbabilities, tokenizer: ModelTokenizer): StepTextProbabilities {
  for (const text of texts.keys()) {
    if (text === endToken || tokenizer.encode(text).length === 1) continue;
    throw new Error(
      `What \`next\` gave has the text ${JSON.stringify(text)}, which is not one token: add it to \`vocabulary\`.`,
    );
  }
  return binaryTexts(texts);
}
