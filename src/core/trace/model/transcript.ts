/** A trace's text with its removed, forced and adjusted tokens, in parts and as plain text. */
import { kindLabels } from "./kind-labels.ts";
import { isHidden } from "./questions.ts";
import type { TokenSteering } from "./steered.ts";
import { noIndex, type TokenKind } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";

/** Consecutive tokens of one kind. Each adjusted token is a part of its own, since each has its own reason. */
export interface TranscriptPart {
  /** `adjusted`: the edits changed which token was chosen. If only the probabilities changed, the token is `sampled`. */
  readonly standing: TokenKind | "removed" | "asked";
  readonly text: string;
  readonly firstToken: number;
  readonly tokenCount: number;
  /** The span of a removed part or of a question. */
  readonly span: number | null;
  /** The steering under which the model chose the tokens; null if nothing steered, and for removed text. */
  readonly steered: TokenSteering | null;
}

/**
 * Groups consecutive tokens of the same kind, in the order of emission. A question's text that comes into the output unchanged is
 * shown there only.
 */
export function transcriptParts(model: TraceModel): readonly TranscriptPart[] {
  return transcriptPage(model, 0, { parts: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY })
    .parts;
}

export interface TranscriptPage {
  readonly parts: readonly TranscriptPart[];
  /** Index of the first token after the parts. */
  readonly next: number;
}

/**
 * The parts from a token on: a limited number of parts and characters. A token is never divided, and the result has at least one
 * token.
 */
export function transcriptPage(
  model: TraceModel,
  from: number,
  most: { readonly parts: number; readonly characters: number },
): TranscriptPage {
  const parts: { -readonly [Key in keyof TranscriptPart]: TranscriptPart[Key] }[] = [];
  let characters = 0;
  for (let index = from; index < model.tokens.text.length; index += 1) {
    // The same text follows later as part of the output.
    if (model.spans[model.tokens.removedBy[index] ?? noIndex]?.isRepeated) continue;
    const text = model.tokens.text[index] ?? "";
    characters += text.length;
    if (characters > most.characters && index > from) return { parts, next: index };
    const removedBy = model.tokens.removedBy[index] ?? noIndex;
    const standing = standingOf(model, index);
    const span = removedBy === noIndex ? null : removedBy;
    const steered = removedBy === noIndex ? (model.tokens.steered[index] ?? null) : null;
    const last = parts.at(-1);
    const isLike = last?.standing === standing && last.span === span && last.steered === steered;
    if (last && isLike && standing !== "adjusted") {
      last.text += text;
      last.tokenCount += 1;
    } else {
      if (parts.length >= most.parts) return { parts, next: index };
      parts.push({ standing, text, firstToken: index, tokenCount: 1, span, steered });
    }
  }
  return { parts, next: model.tokens.text.length };
}

function standingOf(model: TraceModel, index: number): TranscriptPart["standing"] {
  const { tokens, spans } = model;
  const span = tokens.removedBy[index] ?? noIndex;
  if (span === noIndex ? isHidden(model, index) : spans[span]?.isQuestion) return "asked";
  if (span !== noIndex) return "removed";
  const kind = tokens.kind[index] ?? "sampled";
  return kind === "adjusted" && !tokens.counterfactual[index] ? "sampled" : kind;
}

/** Plain text that marks removed, forced, adjusted and steered text: `[removed: Tom][replacement: Lily][steered:  was happy]`. */
export function transcript(model: TraceModel): string {
  return transcriptParts(model)
    .map(({ standing, text, steered }) => {
      if (standing === "end") return "[end]";
      if (standing === "sampled") return steered ? `[steered: ${text}]` : text;
      const words = standing === "removed" || standing === "asked" ? standing : kindLabels[standing];
      return `[${words}${steered ? ", steered" : ""}: ${text}]`;
    })
    .join("");
}
