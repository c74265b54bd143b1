/** The marks around the reasoning of model families, and how to recognise a model's marks by its chat template or tokenizer. */
import { isRecord } from "../../../core/base/record.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import { type JsonObject, reasoningMarkKey } from "../../../core/tokenizer/create-tokenizer.ts";

export interface ReasoningMarks {
  /** The mark before the reasoning, for example `<think>`. `close` is the mark after the reasoning, for example `</think>`. */
  readonly open: string;
  readonly close: string;
  /** Marks that the model may write around its answer; `close` is "" if no mark follows the answer. */
  readonly answer?: { readonly open: string; readonly close: string };
}

interface Family extends ReasoningMarks {
  /** Texts that a template of this family contains; unless given, its closing mark. */
  readonly named?: readonly string[];
  /**
   * A model of this family is also recognised if its opening mark is a single token, because its template may not mention
   * reasoning.
   */
  readonly isKnownByToken?: true;
}

const tags = (name: string) => ({ open: `<${name}>`, close: `</${name}>` });

/** Additional marks around the answer: the first of Hunyuan, the second of Granite 3.3 and ERNIE 4.5. */
const answerTags = ["answer", "response"].map(tags);

/**
 * The first family that matches is used. The sources are the models' own documents, or vLLM's parsers (`vllm/reasoning` in
 * github.com/vllm-project/vllm).
 */
const families: readonly Family[] = [
  // OpenAI's harmony, gpt-oss: channels of one answer. https://github.com/openai/harmony, docs/format.md
  {
    open: "<|channel|>analysis<|message|>",
    close: "<|end|><|start|>assistant<|channel|>final<|message|>",
    answer: { open: "<|channel|>final<|message|>", close: "" },
    named: ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
  },
  // Gemma 4. https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4
  { open: "<|channel>thought", close: "<channel|>" },
  // Magistral and Ministral 3 Reasoning: mistral_reasoning_parser.py
  { open: "[THINK]", close: "[/THINK]" },
  // Seed-OSS: seedoss_reasoning_parser.py
  tags("seed:think"),
  // Command A Reasoning and Command R7B: cohere_command_reasoning_parser.py
  {
    open: "<|START_THINKING|>",
    close: "<|END_THINKING|>",
    answer: { open: "<|START_RESPONSE|>", close: "<|END_RESPONSE|>" },
  },
  // OpenThinker and Sky-T1, whose templates ask the model in words to write these marks.
  // https://github.com/NovaSky-AI/SkyThought
  {
    open: "<|begin_of_thought|>",
    close: "<|end_of_thought|>",
    answer: { open: "<|begin_of_solution|>", close: "<|end_of_solution|>" },
  },
  // Apertus: apertus_reasoning_parser.py
  { open: "<|inner_prefix|>", close: "<|inner_suffix|>" },
  // Kimi's thinking models: kimi_k2_reasoning_parser.py
  { open: "◁think▷", close: "◁/think▷" },
  // Granite 3.2: plain words, which its template asks for. granite_reasoning_parser.py
  {
    open: "Here is my thought process:",
    close: "Here is my response:",
    named: ["Here is my thought process:", "Here is my response:"],
  },
  // Qwen 3, DeepSeek R1, SmolLM3, LFM2.5, Granite 3.3 and most others: basic_parsers.py
  { ...tags("think"), isKnownByToken: true },
  { ...tags("thinking"), isKnownByToken: true },
  { ...tags("reasoning"), isKnownByToken: true },
  // EXAONE Deep. https://huggingface.co/LGAI-EXAONE/EXAONE-Deep-2.4B
  tags("thought"),
];

/** Null if nothing shows that the model thinks. `isToken`: whether a text is a single token of the tokenizer */
export function reasoningMarksOf(
  template: string,
  isToken: (text: string) => boolean,
): ReasoningMarks | null {
  const isNamed = ({ named, close }: Family) => (named ?? [close]).every((text) => template.includes(text));
  const found =
    families.find(isNamed) ?? families.find(({ open, isKnownByToken }) => isKnownByToken && isToken(open));
  if (!found) return null;
  const { open, close } = found;
  const answer =
    found.answer ?? (found.isKnownByToken && answerTags.find((each) => template.includes(each.open)));
  return { open, close, ...(answer && { answer }) };
}

/**
 * A copy of the tokenizer's description in which the reasoning marks are ordinary text, as in Qwen 3's own. Special tokens
 * are invisible in a text, so reasoning and answer could not be separated. Marks that end a sequence stay special.
 * @returns the same object if nothing changes.
 */
export function withNonSpecialReasoningTokens(
  tokenizerJson: JsonObject,
  template: string,
  endOfSequence: readonly TokenId[],
): JsonObject {
  const { added_tokens: added } = tokenizerJson;
  if (!Array.isArray(added)) return tokenizerJson;
  const names = new Set(added.map((token: unknown) => (isRecord(token) ? token.content : null)));
  const marks = reasoningMarksOf(template, (text) => names.has(text));
  if (!marks) return tokenizerJson;
  const texts = [marks.open, marks.close, marks.answer?.open ?? "", marks.answer?.close ?? ""];
  const isHidden = (token: unknown): token is JsonObject =>
    isRecord(token) &&
    token.special === true &&
    typeof token.content === "string" &&
    token.content !== "" &&
    texts.some((text) => text.includes(token.content as string)) &&
    !endOfSequence.includes(token.id as TokenId);
  if (!added.some(isHidden)) return tokenizerJson;
  const shown = added.map((token: unknown) =>
    isHidden(token) ? { ...token, special: false, [reasoningMarkKey]: true } : token,
  );
  return { ...tokenizerJson, added_tokens: shown };
}

/** The texts of all chat templates of a tokenizer, because any of them may contain the marks. */
export function templateText(chatTemplate: unknown): string {
  if (chatTemplate === undefined || chatTemplate === null) return "";
  return typeof chatTemplate === "string" ? chatTemplate : JSON.stringify(chatTemplate);
}
