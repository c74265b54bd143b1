/**
 * Finds out, by reading and rendering the chat template and not by the model's name: whether a model thinks before it
 * answers, how it marks its thoughts, and which template variable switches thinking on and off.
 */

import type { ModelTokenizer } from "../../../core/tokenizer/create-tokenizer.ts";
import type { ModelInfo } from "../base/model-reference.ts";
import { type ReasoningMarks, reasoningMarksOf } from "./reasoning-marks.ts";

export interface Thinking extends ReasoningMarks {
  /** The template variable that switches thinking; null if the model always thinks, or decides by itself. */
  readonly variable: ThinkingVariable | null;
}

/** The names of this variable in chat templates: `enable_thinking` in Qwen3, SmolLM3 and others, `thinking` in Granite and DeepSeek 3.1. */
const variables = ["enable_thinking", "thinking"] as const;

export type ThinkingVariable = (typeof variables)[number];

/** Whether a model thinks always, or its thinking can be switched on and off; null if it never thinks. */
export function thinkingMode(thinking: Thinking | null): ModelInfo["thinking"] {
  return thinking && (thinking.variable === null ? "always" : "switchable");
}

interface About {
  /** The source of the template. */
  readonly template: string;
  /** Renders a conversation of one message with these variables. @throws if the template refuses them */
  readonly render: (variables: Readonly<Record<string, boolean>>) => string;
  readonly tokenizer: ModelTokenizer;
}

/** Null unless the model thinks between marks that its text shows. */
export function detectThinking({ template, render, tokenizer }: About): Thinking | null {
  const found = reasoningMarksOf(template, (text) => isOneToken(tokenizer, text));
  if (!found || !isShown(tokenizer, found.close)) return null;
  const variable = variables.find(
    (name) =>
      template.includes(name) &&
      differs(
        () => render({ [name]: true }),
        () => render({ [name]: false }),
      ),
  );
  return { ...found, variable: variable ?? null };
}

/**
 * The state of the reasoning at the end of a prompt: "begun" if the model continues inside the reasoning, "over" if the
 * reasoning was closed or skipped, "free" if the model may begin to reason. `continued`: the part of the answer that the
 * prompt ends with, or "".
 */
export function thinkingAtEnd(
  prompt: string,
  continued: string,
  { open, close }: Pick<Thinking, "open" | "close">,
): "begun" | "over" | "free" {
  const templatePart = prompt.slice(0, prompt.length - continued.length).trimEnd();
  if (continued.includes(close)) return "over";
  // Marks further up may be a user's text, so only the end of the template's own text counts.
  if (templatePart.endsWith(open)) return "begun";
  if (templatePart.endsWith(close)) return "over";
  if (continued.trimStart().startsWith(open)) return "begun";
  return continued.trim() === "" ? "free" : "over";
}

function isOneToken(tokenizer: ModelTokenizer, text: string): boolean {
  return tokenizer.encodePrompt(text).length === 1;
}

/**
 * Whether a mark is visible in the text. A token that ends a sequence is not, so reasoning and answer could not be
 * separated.
 */
function isShown(tokenizer: ModelTokenizer, text: string): boolean {
  return tokenizer.decode(tokenizer.encodePrompt(text)).trimStart() === text;
}

function differs(one: () => string, other: () => string): boolean {
  try {
    return one() !== other();
  } catch {
    // The template refuses the test conversation, so the switch stays unknown.
    return false;
  }
}
