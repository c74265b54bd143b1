/** A mod that keeps an answer to a schema in a way that requests cannot ask for: other white space, or any spelling. */
import type { PropertyOrder } from "../../../src/core/sdk/request.ts";

export const whiteSpaces = ["compact", "spaced", "usual", "free"] as const;
export const spellings = ["own", "any"] as const;

export interface Variant {
  readonly order: PropertyOrder;
  readonly whiteSpace: (typeof whiteSpaces)[number];
  /** "own": sampling masks, which leave out what the tokenizer never writes; "any": all allowed tokens. */
  readonly spelling: (typeof spellings)[number];
}

/** The source of the mod. It ends the request once the answer is whole. */
export function variantMod(
  schema: Readonly<Record<string, unknown>>,
  { order, whiteSpace, spelling }: Variant,
): string {
  return `import { mod, requestState } from "midtoken/mod";
import { constraintOf, jsonSchema } from "midtoken/strategies";
const strategy = jsonSchema(${JSON.stringify(schema)}, ${JSON.stringify({ order, whiteSpace })});
const state = requestState(() => ({ at: null, tokens: [] }));
export default mod({
  forwardPass(_event, actions, tokenizer) {
    const current = state.current;
    current.at ??= constraintOf(strategy, tokenizer).start;
    if (current.at.canEnd) return actions.forceOutput(current.tokens);
    const forced = current.at.forcedTokens();
    if (forced.length > 0) return actions.forceTokens(forced);
    return actions.adjustLogits({ mask: current.at.${spelling === "own" ? "samplingMask" : "mask"}() });
  },
  added(event) {
    for (const token of event.tokens) {
      state.current.tokens.push(token);
      state.current.at = state.current.at?.advance(token) ?? null;
    }
  },
});`;
}
