import { mod, requestState } from "midtoken/mod";
import { type ConstraintState, constraintOf, jsonSchema } from "midtoken/strategies";

const cat = jsonSchema(
  {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer", maximum: 30 },
      color: { enum: ["white", "red", "gray"] },
    },
    required: ["name", "age", "color"],
    additionalProperties: false,
  },
  { whiteSpace: "free" },
);
const state = requestState<ConstraintState | null>(() => null);
const refused = requestState<number[]>(() => []);

// The model writes freely. Inside a block of JSON, the mod takes back a token that breaks the schema, and bans it at the next try.
export default mod({
  maxBacktrack: 1,
  forwardPass(_event, actions) {
    if (refused.current.length > 0) return actions.adjustLogits({ ban: refused.current });
  },
  added(event, actions, tokenizer) {
    if (!state.current) {
      if (/```(json)?\n$/.test(event.output.text)) state.current = constraintOf(cat, tokenizer).start;
      return;
    }
    if (state.current.canEnd) return;
    const [token = -1] = event.tokens;
    const next = state.current.advance(token);
    if (!next) {
      refused.current.push(token);
      return actions.backtrack(1);
    }
    state.current = next;
    refused.current = [];
  },
});
