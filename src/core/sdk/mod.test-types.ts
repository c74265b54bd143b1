/**
 * The types that an author of mods relies on. `npm run check` checks them: nothing here runs. The first part is the table of
 * `allowedActions`: every action that an event allows compiles there, and every other action does not.
 */
import { type Action, type ActionsFor, type EventOf, mod, requestState, type Tokenizer } from "./index.ts";

mod({
  prefilled(_event, actions) {
    switch (_event.step) {
      case 0:
        return actions.noop();
      case 1:
        return actions.adjustPrefill("a");
      case 2:
        // @ts-expect-error adjustLogits is not allowed at prefilled
        return actions.adjustLogits({ ban: [1] });
      case 3:
        // @ts-expect-error forceTokens is not allowed at prefilled
        return actions.forceTokens("a");
      case 4:
        // @ts-expect-error backtrack is not allowed at prefilled
        return actions.backtrack(1, "a");
      case 5:
        return actions.forceOutput("a");
      case 6:
        return actions.toolCalls({ name: "f" });
      case 7:
        return actions.error("No.");
      case 8:
        return actions.steer(null);
      case 9:
        return actions.patch({ layer: 1, vector: [1] });
    }
  },
});

mod({
  forwardPass(_event, actions) {
    switch (_event.step) {
      case 0:
        return actions.noop();
      case 1:
        // @ts-expect-error adjustPrefill is not allowed at forwardPass
        return actions.adjustPrefill("a");
      case 2:
        return actions.adjustLogits({ ban: [1] });
      case 3:
        return actions.forceTokens("a");
      case 4:
        return actions.backtrack(1, "a");
      case 5:
        return actions.forceOutput("a");
      case 6:
        return actions.toolCalls({ name: "f" });
      case 7:
        return actions.error("No.");
      case 8:
        return actions.steer(null);
      case 9:
        return actions.patch({ layer: 1, vector: [1] });
    }
  },
});

mod({
  sampled(_event, actions) {
    switch (_event.step) {
      case 0:
        return actions.noop();
      case 1:
        // @ts-expect-error adjustPrefill is not allowed at sampled
        return actions.adjustPrefill("a");
      case 2:
        // @ts-expect-error adjustLogits is not allowed at sampled
        return actions.adjustLogits({ ban: [1] });
      case 3:
        return actions.forceTokens("a");
      case 4:
        return actions.backtrack(1, "a");
      case 5:
        return actions.forceOutput("a");
      case 6:
        return actions.toolCalls({ name: "f" });
      case 7:
        return actions.error("No.");
      case 8:
        return actions.steer(null);
      case 9:
        return actions.patch({ layer: 1, vector: [1] });
    }
  },
});

mod({
  added(_event, actions) {
    switch (_event.step) {
      case 0:
        return actions.noop();
      case 1:
        // @ts-expect-error adjustPrefill is not allowed at added
        return actions.adjustPrefill("a");
      case 2:
        // @ts-expect-error adjustLogits is not allowed at added
        return actions.adjustLogits({ ban: [1] });
      case 3:
        return actions.forceTokens("a");
      case 4:
        return actions.backtrack(1, "a");
      case 5:
        return actions.forceOutput("a");
      case 6:
        return actions.toolCalls({ name: "f" });
      case 7:
        return actions.error("No.");
      case 8:
        return actions.steer(null);
      case 9:
        return actions.patch({ layer: 1, vector: [1] });
    }
  },
});

mod({
  backtracked(_event, actions) {
    switch (_event.step) {
      case 0:
        return actions.noop();
      case 1:
        // @ts-expect-error adjustPrefill is not allowed at backtracked
        return actions.adjustPrefill("a");
      case 2:
        // @ts-expect-error adjustLogits is not allowed at backtracked
        return actions.adjustLogits({ ban: [1] });
      case 3:
        // @ts-expect-error forceTokens is not allowed at backtracked
        return actions.forceTokens("a");
      case 4:
        // @ts-expect-error backtrack is not allowed at backtracked
        return actions.backtrack(1, "a");
      case 5:
        // @ts-expect-error forceOutput is not allowed at backtracked
        return actions.forceOutput("a");
      case 6:
        // @ts-expect-error toolCalls is not allowed at backtracked
        return actions.toolCalls({ name: "f" });
      case 7:
        // @ts-expect-error error is not allowed at backtracked
        return actions.error("No.");
      case 8:
        // @ts-expect-error steer is not allowed at backtracked
        return actions.steer(null);
      case 9:
        // @ts-expect-error patch is not allowed at backtracked
        return actions.patch({ layer: 1, vector: [1] });
    }
  },
});

mod({
  finished(_event, actions) {
    switch (_event.step) {
      case 0:
        return actions.noop();
      case 1:
        // @ts-expect-error adjustPrefill is not allowed at finished
        return actions.adjustPrefill("a");
      case 2:
        // @ts-expect-error adjustLogits is not allowed at finished
        return actions.adjustLogits({ ban: [1] });
      case 3:
        // @ts-expect-error forceTokens is not allowed at finished
        return actions.forceTokens("a");
      case 4:
        // @ts-expect-error backtrack is not allowed at finished
        return actions.backtrack(1, "a");
      case 5:
        // @ts-expect-error forceOutput is not allowed at finished
        return actions.forceOutput("a");
      case 6:
        // @ts-expect-error toolCalls is not allowed at finished
        return actions.toolCalls({ name: "f" });
      case 7:
        // @ts-expect-error error is not allowed at finished
        return actions.error("No.");
      case 8:
        // @ts-expect-error steer is not allowed at finished
        return actions.steer(null);
      case 9:
        // @ts-expect-error patch is not allowed at finished
        return actions.patch({ layer: 1, vector: [1] });
    }
  },
});

// An action that was built at another event does not compile either.
export function checkActionTypes(prefill: ActionsFor<"prefilled">, force: ActionsFor<"added">): void {
  // @ts-expect-error forceTokens is not allowed at prefilled
  mod({ prefilled: () => force.forceTokens("a") });
  // @ts-expect-error adjustPrefill is not allowed at added, not even later
  mod({ added: async () => prefill.adjustPrefill("a") });
  // @ts-expect-error only noop is allowed at finished
  mod({ finished: () => force.forceTokens("a") });
}

// A handler that returns nothing, at once or asynchronously, means noop.
mod({ added() {}, sampled: () => undefined, prefilled: () => null, async finished() {} });
mod({
  added(event, actions) {
    if (event.isEos) return actions.backtrack(1, " And then");
  },
  async forwardPass(event, actions, tokenizer) {
    const [first] = event.topK(1);
    if (first && tokenizer.tokenText(first.token) === "x")
      return actions.adjustLogits({ ban: [first.token] });
  },
});

// @ts-expect-error an unknown event
mod({ addded: () => null });
// @ts-expect-error not an action
mod({ added: () => "hello" });
// @ts-expect-error an unknown option
mod({ added: () => null, topk: 4 });
// @ts-expect-error an unknown option of the function form
mod(() => null, { topk: 4 });
mod({ name: "n", topK: 4, logits: true, layers: [1], lens: "all", added: () => null });

// The function form: the event is narrowed by its type, and all builders exist.
mod((event, actions, tokenizer: Tokenizer): Action | null => {
  // @ts-expect-error not every event has a text
  event.text;
  switch (event.type) {
    case "prefilled":
      return actions.adjustPrefill(tokenizer.encode(event.text), { maxSteps: event.maxTokens });
    case "forwardPass":
      return actions.adjustLogits(event.logits, { temperature: 0 });
    case "added":
      return event.forced ? actions.noop() : actions.forceTokens(event.tokens);
    default:
      return null;
  }
});

// Events are read-only, and carry what their type says.
export function checkEventTypes(event: EventOf<"added">, pass: EventOf<"forwardPass">): number {
  // @ts-expect-error read-only
  event.step = 1;
  // @ts-expect-error read-only
  event.tokens.push(1);
  // @ts-expect-error an added event has no logits
  event.logits;
  return pass.topK(1)[0]?.logprob ?? 0;
}

// Arguments of the builders.
mod({
  forwardPass(event, actions) {
    // @ts-expect-error misspelt
    actions.adjustLogits({ bann: [1] });
    actions.adjustLogits({ ban: "a" });
    actions.adjustLogits({ ban: ["a", 1], add: { a: 1, 2: -1 } });
    // @ts-expect-error `only` takes no text, which may stand for many tokens
    actions.adjustLogits({ only: "a" });
    actions.adjustLogits({ only: [1], add: { 2: -1 } }, { temperature: 0 });
    actions.adjustLogits(event.logits.map((logit) => logit / 2));
    // @ts-expect-error a count comes first
    actions.backtrack("a");
    actions.toolCalls([
      { name: "f", arguments: { a: 1 } },
      { id: "x", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
    // @ts-expect-error the name is missing
    actions.toolCalls({ arguments: {} });
    return actions.forceTokens(new Int32Array(1));
  },
});

// State keeps its type.
const words = requestState(() => ({ count: 0, last: "" }));
export const wordCount: () => number = () => words.current.count;
// @ts-expect-error a number is not a text
export const wrongCount: () => string = () => words.current.count;
