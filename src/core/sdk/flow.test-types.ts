/** The types of strategies, self-prompts and flows that an author relies on. `npm run check` checks them: nothing here runs. */
import {
  end,
  type FlowState,
  flow,
  message,
  output,
  type Question,
  question,
  selfPrompt,
  selfPromptMod,
  summary,
  type Target,
  tool,
} from "./flow.ts";
import { type ActionsFor, type EventOf, mod, type Tokenizer } from "./index.ts";
import { choices, type Strategy } from "./strategies.ts";

const strategy: Strategy = choices(["yes", "no"]);
const hidden = selfPrompt({ prompt: "?", strategy, erase: "all", completion: "\n", temperature: 0 });

// In a handler for one event, the result is an action that the event allows.
mod({
  prefilled: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
  forwardPass: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
  sampled: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
  added: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer) ?? actions.forceTokens("!"),
  backtracked: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
  finished: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
});
// In one function for all events, whole and narrowed.
mod((event, actions, tokenizer) => {
  if (event.type === "added") return hidden.handle(event, actions, tokenizer);
  return hidden.handle(event, actions, tokenizer);
});

export function checkHandle(
  added: EventOf<"added">,
  atAdded: ActionsFor<"added">,
  atPrefilled: ActionsFor<"prefilled">,
  tokenizer: Tokenizer,
): string | null {
  // @ts-expect-error the builders are those of another event
  hidden.handle(added, atPrefilled, tokenizer);
  // @ts-expect-error the tokenizer is missing
  hidden.handle(added, atAdded);
  const action = hidden.handle(added, atAdded, tokenizer);
  // @ts-expect-error added does not allow adjustLogits
  if (action?.type === "adjustLogits") return null;
  return hidden.answer() ?? hidden.answer("request");
}

// @ts-expect-error a strategy is needed
selfPrompt({ prompt: "?" });
// @ts-expect-error misspelt
selfPrompt({ strategy, erase: "prompts" });
// @ts-expect-error a list is not a strategy
selfPromptMod({ strategy: ["a"] });
// @ts-expect-error one text is no list of choices
hidden.replaceChoices("a");

interface Order {
  size: string;
  count: number;
}
const count = question<Order>({ name: "count", responses: ["1", "2"] });
const size: Question<Order> = question<Order>({ name: "size", prompt: [1, 2], strategy })
  .assign((state, answer) => {
    state.data.size = answer;
    // @ts-expect-error a text is no number
    state.data.count = answer;
    // @ts-expect-error the history is read-only
    state.history.push();
  })
  .on("yes", count)
  .on("no", "A message.")
  .branch((state) => (state.data.count > 1 ? count : undefined))
  .branch(() => null)
  .autoAnswer((state) => state.answers.size)
  .retry({ times: 2, valid: (answer, state) => answer !== state.data.size, otherwise: end() })
  .then((state) => tool(() => ({ name: "order", arguments: state.data })));
count.then(tool<Order>((state) => ({ name: "order", arguments: { size: state.data.size } })));
count.otherwise(() => summary());
count
  .then(message("done", { end: true }))
  .then(output("x"))
  .then(end());
// @ts-expect-error a number is not a target
count.then(4);
// @ts-expect-error only functions such as `end()` make a route
count.then({ kind: "finish" });
// @ts-expect-error the function must not be async
count.branch(async () => end());
// @ts-expect-error a message needs a text
message();

const order = flow({
  entry: size,
  state: () => ({ size: "", count: 0 }),
  summary: ({ data }) => data.size,
});
export const orderCount = (): number => order.state().data.count;
export const orderMod = order.asMod({ name: "order" });
// @ts-expect-error the questions need another type of state
flow({ entry: size, state: () => ({ size: 4 }) });
// @ts-expect-error the entry is a question
flow({ entry: "size" });

// Without a declared type, `data` accepts any values.
const free = question({ name: "free", responses: ["a"] }).assign((state, answer) => {
  state.data.anything = answer;
  state.answers.free = answer.toUpperCase();
});
export const validTargets: readonly Target[] = [
  free,
  end(),
  "text",
  () => free,
  (state) => `${state.history.length}`,
];
export const readFreeAnswer = (state: FlowState): string | undefined => state.answers.free;
flow({ entry: free });
