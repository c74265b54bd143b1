/** The snippets of Quote's home page ("home") and of its page "Building mods" ("guide"). */
import { modSourceOf, plainOutputMarker, type QuoteSdkCase } from "./quote-case.ts";

const refusal = " I can't help with that";
const instruction = "System: answer concisely\n";

const actionSnippets: readonly QuoteSdkCase[] = [
  {
    name: "home/runtime_control",
    source: `import { mod } from "midtoken/mod";\n\nexport default mod((_event, actions) => actions.noop());\n`,
    expects: { text: plainOutputMarker },
  },
  {
    name: "home/patch_prefill",
    source: modSourceOf(
      `prefilled: (event, actions) => actions.adjustPrefill(${JSON.stringify(instruction)} + event.text),`,
    ),
    // A second token that begins the prompt would stand after the instruction.
    expects: { prompt: { has: instruction, lacks: `${instruction}<s>` } },
  },
  {
    name: "home/logits_guard",
    source: modSourceOf(`forwardPass(event, actions, tokenizer) {
    const logits = event.logits.slice();
    const [blocked = 0] = tokenizer.encode("unsafe");
    logits[blocked] = -1e9;
    return actions.adjustLogits(logits);
  },`),
    expects: { text: /./ },
  },
  {
    // Quote's snippet goes back at every token after the 30th, without end.
    name: "home/revise_suffix: once",
    maxTokens: 48,
    source: `import { mod, requestState } from "midtoken/mod";

const isRevised = requestState(() => false);

export default mod({
  added(event, actions) {
    if (event.step <= 30 || isRevised.current) return actions.noop();
    isRevised.current = true;
    return actions.backtrack(8, "Let's restate clearly:");
  },
  backtracked: (event) => console.log(event.removed.length),
});
`,
    expects: { text: /Let's restate clearly:/, lines: ["8"] },
  },
  {
    name: "home/route_tools",
    source: modSourceOf(`prefilled: (_event, actions) =>
    actions.toolCalls([{ name: "search_docs", arguments: { query: "token injection" } }]),`),
    expects: { calls: ['search_docs({"query":"token injection"})'] },
  },
  {
    name: "guide/replace a phrase",
    prompt: "Please do this: Say hi.",
    source: modSourceOf(`prefilled(event, actions, tokenizer) {
    const prompt = tokenizer.decode(event.tokens, { specialTokens: "parse" });
    const changed = prompt.replace("Say hi.", "Say bye.");
    return actions.adjustPrefill(tokenizer.encode(changed, { specialTokens: "parse" }));
  },`),
    expects: { prompt: { has: "Say bye.", lacks: "Say hi." } },
  },
  {
    name: "guide/mask a token",
    source: modSourceOf(`forwardPass(event, actions, tokenizer) {
    const logits = event.logits.slice();
    const [ban = 0] = tokenizer.encode("—");
    logits[ban] = -1e9;
    return actions.adjustLogits(logits);
  },`),
    expects: { text: plainOutputMarker },
  },
  {
    name: "guide/backtrack and replace",
    source: `import { mod, requestState } from "midtoken/mod";

const needle = ${JSON.stringify(refusal)};
const text = requestState(() => "");

export default mod({
  // The model is made to refuse.
  forwardPass: (event, actions) =>
    text.current === "" ? actions.forceTokens(needle, { heal: false }) : actions.noop(),
  added(event, actions, tokenizer) {
    text.current += tokenizer.decode(event.tokens);
    if (text.current.endsWith(needle))
      return actions.backtrack(tokenizer.encode(needle).length, "I can help you with that: ");
  },
});
`,
    expects: { text: /^I can help you with that: / },
  },
  {
    name: "guide/tool call",
    source: modSourceOf(`prefilled(event, actions) {
    const id = \`call_\${event.requestId.split("-")[0]}\`;
    return actions.toolCalls({ id, type: "function", function: { name: "search" } });
  },`),
    expects: { calls: ["search({})"], callId: "call_test" },
  },
];

const questionSnippets: readonly QuoteSdkCase[] = [
  {
    name: "home/runtime_flow",
    source: `import { flow, question } from "midtoken/flow";

const router = question({
  name: "runtime_tool_router",
  prompt: "Should I call a runtime tool?",
  responses: ["yes", "no"],
  erase: "all",
});

export default flow({ entry: router }).asMod();
`,
    expects: { text: plainOutputMarker },
  },
  {
    name: "guide/SelfPrompt",
    maxTokens: 60,
    source: `import { selfPrompt } from "midtoken/flow";
import { mod } from "midtoken/mod";
import { until } from "midtoken/strategies";

const wrapped = selfPrompt({
  prompt: " Wrap a question in <question_to_user> tags: ",
  strategy: until({ start: "<question_to_user>", end: "</question_to_user>" }),
});

export default mod((event, actions, tokenizer) => wrapped.handle(event, actions, tokenizer));
`,
    expects: { text: /^ Wrap a question in <question_to_user> tags: <question_to_user>/ },
  },
  {
    name: "guide/self_prompt_mod",
    source: `import { selfPromptMod } from "midtoken/flow";
import { choices } from "midtoken/strategies";

export default selfPromptMod({
  prompt: " Choose: A or B ",
  strategy: choices(["A", "B"]),
  completion: "\\n",
});
`,
    expects: { text: /^ Choose: A or B [AB]\n/ },
  },
  {
    name: "guide/flow",
    source: `import { flow, message, question } from "midtoken/flow";
import { choices } from "midtoken/strategies";

const confirm = question({
  name: "confirm",
  prompt: " Proceed? (yes/no): ",
  strategy: choices(["yes", "no"]),
  completion: "\\n",
});
confirm.on("yes", message("Ok!"));

export default flow({ entry: confirm }).asMod();
`,
    expects: { text: /^ Proceed\? \(yes\/no\): (yes\nOk!|no\n)/ },
  },
];

export const snippetCases: readonly QuoteSdkCase[] = [...actionSnippets, ...questionSnippets];
