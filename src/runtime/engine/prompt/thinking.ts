/**
 * Whether a model thinks before it answers, how it marks that in its text, and by which variable of its chat template that is
 * turned on and off. Found by reading and rendering the template, not by the model's name.
 */

import type { ModelTokenizer } from "../../../core/tokenizer/create-tokenizer.ts";
import type { LoadedModel } from "../base/model-reference.ts";
import { type ReasoningMarks, reasoningMarksOf } from "./reasoning-marks.ts";

export interface Thinking extends ReasoningMarks {
  /** The template's variable for it; null if the model always thinks, or decides by itself. */
  readonly variable: ThinkingVariable | null;
}

/** Names that chat templates have for the switch: Qwen3, SmolLM3 and others the first, Granite and DeepSeek 3.1 the second. */
const variables = ["enable_thinking", "thinking"] as const;

export type ThinkingVariable = (typeof variables)[number];

/** Whether a model thinks always, or its thinking can be switched on and off; null if it never thinks. */
export function thinkingMode(thinking: Thinking | null): LoadedModel["thinking"] {
  return thinking && (thinking.variable === null ? "always" : "switchable");
}

interface About {
  /** The template's own text. */
  readonly template: string;
  /** Renders a conversation of one message with these variables. @throws where the template refuses it. */
  readonly render: (variables: Readonly<Record<string, boolean>>) => string;
  readonly tokenizer: ModelTokenizer;
}

/** Null if nothing says that the model thinks in marks that its text shows. */
export function thinkingOf({ template, render, tokenizer }: About): Thinking | null {
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
 * The state of the reasoning at the end of a prompt: "begun" if the answer continues inside the reasoning, "over" if the
 * reasoning was closed or skipped, "free" if the model may begin it. `continued`: the text of the answer at the end of the
 * prompt; "" if there is none.
 */
export function thinkingAtEnd(
  prompt: string,
  continued: string,
  { open, close }: Pick<Thinking, "open" | "close">,
): "begun" | "over" | "free" {
  const own = prompt.slice(0, prompt.length - continued.length).trimEnd();
  // The user may have written the marks: only what the template ends with is its own.
  const before = own.endsWith(open) ? "begun" : own.endsWith(close) ? "over" : "free";
  const at = continued.lastIndexOf(close);
  if (at >= 0) return "over";
  if (before !== "free") return before;
  if (continued.trimStart().startsWith(open)) return "begun";
  return continued.trim() === "" ? "free" : "over";
}

function isOneToken(tokenizer: ModelTokenizer, text: string): boolean {
  return tokenizer.encodePrompt(text).length === 1;
}

/** If a mark is not in the text (a token that ends a sequence is not), the reasoning cannot be told from the answer. */
function isShown(tokenizer: ModelTokenizer, text: string): boolean {
  return tokenizer.decode(tokenizer.encodePrompt(text)).trimStart() === text;
}

function differs(one: () => string, other: () => string): boolean {
  try {
    return one() !== other();
  } catch {
    // A template that refuses the probe: nothing is known of its switch.
    return false;
  }
}
