/** Quote's tests/sdk/test_strategies.py and test_self_prompt.py: what the model may say, and questions that are taken out again. */
import { plainOutputMarker, type QuoteSdkCase } from "./quote-case.ts";

/** A self-prompt as a whole mod. */
const asks = (options: string) => `import { selfPromptMod } from "midtoken/flow";
import { chars, choices, list, until } from "midtoken/strategies";

export default selfPromptMod({ ${options} });
`;
const strategy = (written: string) => asks(`strategy: ${written}, completion: "|"`);

export const questionCases: readonly QuoteSdkCase[] = [
  {
    name: "test_strategies/choices_basic_completion: the longer text stays possible",
    source: strategy('choices(["hi", "hit"])'),
    expects: { text: /^(hi|hit)\|/ },
  },
  {
    name: "test_strategies/until_tag",
    source: strategy('until({ start: "<a>", end: "</a>", maxTokens: 8 })'),
    expects: { text: /^<a>/ },
  },
  {
    name: "test_strategies/until_anychar",
    source: strategy('until({ end: { anyOf: "\\n." }, maxTokens: 20 })'),
    expects: { text: /^[^\n.]*[\n.]?/ },
  },
  {
    name: "test_strategies/chars_alpha_stop",
    source: strategy('chars("letters", { min: 1, max: 6, stop: "." })'),
    expects: { text: /^[A-Za-z]{1,6}\.?\|/ },
  },
  {
    name: "test_strategies/chars_numeric_stop_3",
    source: strategy('chars("digits", { min: 3, max: 3 })'),
    expects: { text: /^\d{3}\|/ },
  },
  {
    name: "test_strategies/list_wrap_sep_end_with",
    source: strategy(
      `list(chars("alphanumerics", { min: 1, max: 1 }), { open: "[", close: "]", wrap: '"', separator: ", ", min: 1, max: 1, end: "." })`,
    ),
    expects: { text: /^\["[A-Za-z0-9]"\]\.\|/ },
  },
  {
    name: "test_strategies/list_fixed_elements_two_token_wrap",
    source: strategy(
      `list([choices(["ab"]), choices(["cd"])], { open: "[", close: "]", wrap: '""', separator: ", ", end: "OK" })`,
    ),
    expects: { text: /^\[""ab"", ""cd""\]OK\|/ },
  },
  {
    name: "test_strategies/list_two_token_open",
    source: strategy(
      `list([choices(["x"]), choices(["y"])], { open: "<<", close: ">", wrap: '"', separator: ", ", end: "." })`,
    ),
    expects: { text: /^<<"x", "y">\.\|/ },
  },
  {
    name: "test_self_prompt/forces_prompt_then_masks",
    source: asks('prompt: "Q:", strategy: choices(["A", "B"])'),
    expects: { text: /^Q:[AB]/ },
  },
  {
    name: "test_self_prompt/erase_prompt",
    source: asks('prompt: "Q:", strategy: choices(["Y"]), erase: "prompt"'),
    expects: { text: /^Y/ },
  },
  {
    name: "test_self_prompt/erase_prompt_with_completion: the completion is not forced, since it would be erased",
    source: asks('prompt: "Q:", strategy: choices(["Y"]), erase: "prompt", completion: "\\n"'),
    expects: { text: /^Y/ },
  },
  {
    name: "test_self_prompt/erase_all",
    source: asks('prompt: "P", strategy: choices(["Z"]), erase: "all"'),
    expects: { text: plainOutputMarker },
  },
  {
    name: "test_self_prompt/erase_all_with_completion",
    source: asks('prompt: "P", strategy: choices(["Z"]), erase: "all", completion: "\\n"'),
    expects: { text: plainOutputMarker },
  },
  {
    name: "test_self_prompt/refresh_responses",
    source: `import { selfPrompt } from "midtoken/flow";
import { mod } from "midtoken/mod";
import { choices } from "midtoken/strategies";

const animal = selfPrompt({ strategy: choices(["cat", "dog"]), completion: "|" });

export default mod((event, actions, tokenizer) => {
  if (event.type === "prefilled") animal.replaceChoices(["owl"]);
  const action = animal.handle(event, actions, tokenizer);
  if (event.type === "finished") console.log(animal.answer());
  return action;
});
`,
    expects: { text: /^owl\|/, lines: ["owl"] },
  },
];
