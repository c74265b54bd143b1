/** A mod's question as text. Separate from `trace-text.ts`, since a link draws its text without this code. */
import { questionPromptLength } from "./questions.ts";
import { noIndex } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";
import { quote, truncatedTextOf } from "./trace-view.ts";

/** Prompt and answer of a question: `asked: 'Mood:' → 'happy'`. */
export function questionLabel(model: TraceModel, span: number): string {
  const { asked, answer } = questionText(model, span);
  return `asked: ${[asked, answer].filter(Boolean).map(quote).join(" → ")}`;
}

/** The most UTF-16 units of a question's prompt that are quoted: its end, which the answer continues. */
const longestPrompt = 40;

/** The prompt of a question, "" if it has none, and the model's answer; of a long prompt its end, of a long answer its beginning. */
export function questionText(model: TraceModel, span: number): { asked: string; answer: string } {
  const removed = model.spans[span]?.removed ?? [];
  const length = questionPromptLength(model, removed);
  let asked = "";
  let from = length;
  while (from > 0 && asked.length <= longestPrompt) {
    from -= 1;
    asked = (model.tokens.text[removed[from] ?? noIndex] ?? "") + asked;
  }
  if (from > 0 || asked.length > longestPrompt * 2) asked = `…${asked.slice(-longestPrompt)}`;
  return { asked: asked.trim(), answer: truncatedTextOf(model, removed.slice(length)).trim() };
}
