/** Quote's tests/mod_unit_tests and tests/inference: one action at one event. */
import { modSourceOf, plainOutputMarker, type QuoteSdkCase } from "./quote-case.ts";

const noop = (event: string) => modSourceOf(`${event}: (_event, actions) => actions.noop(),`);
const emergency = "EMERGENCY PROTOCOL ACTIVATED. Please contact support immediately.";

/** At the n-th token that the model chose. */
const atSampled = (place: number, action: string) =>
  modSourceOf(
    `sampled: (event, actions) => (event.step === ${place - 1} ? actions.${action} : actions.noop()),`,
  );

/** Once the output ends with a text that the mod forces in two pieces. */
const after = (pieces: readonly [string, string], action: string) => {
  const [first, second] = pieces.map((piece) => JSON.stringify(piece));
  const whole = JSON.stringify(pieces.join(""));
  return modSourceOf(`forwardPass: (event, actions) => (event.step === 0 ? actions.forceTokens(${first}, { heal: false }) : undefined),
  added(event, actions) {
    if (event.output.text === ${first}) return actions.forceTokens(${second}, { heal: false });
    if (event.output.text === ${whole}) return actions.${action};
  },`);
};

export const actionCases: readonly QuoteSdkCase[] = [
  { name: "prefilled/noop", source: noop("prefilled"), expects: { text: plainOutputMarker } },
  {
    name: "prefilled/adjust_prefill",
    prompt: "Say hello to me.",
    source: modSourceOf(`prefilled(event, actions, tokenizer) {
    const prompt = tokenizer.decode(event.tokens, { specialTokens: "parse" });
    const tokens = tokenizer.encode(prompt.replace("hello", "goodbye"), { specialTokens: "parse" });
    return actions.adjustPrefill(tokens);
  },`),
    expects: { prompt: { has: "Say goodbye to me.", lacks: "hello" } },
  },
  {
    name: "prefilled/force_output",
    prompt: "This is an emergency!",
    maxTokens: 80,
    source: modSourceOf(`prefilled: (_event, actions) => actions.forceOutput(${JSON.stringify(emergency)}),`),
    expects: { text: emergency },
  },
  {
    name: "prefilled/tool_calls",
    prompt: "What's the weather like?",
    source: modSourceOf(`prefilled(event, actions) {
    const id = \`call_\${event.requestId.split("-")[0]}\`;
    const call = { name: "get_weather", arguments: '{"location": "New York"}' };
    return actions.toolCalls({ id, type: "function", function: call });
  },`),
    expects: { calls: ['get_weather({"location": "New York"})'], callId: "call_test" },
  },
  { name: "forward_pass/noop", source: noop("forwardPass"), expects: { text: plainOutputMarker } },
  {
    name: "forward_pass/force_tokens",
    source: modSourceOf(
      `forwardPass: (event, actions) => (event.step === 0 ? actions.forceTokens(" [INJECTED]") : actions.noop()),`,
    ),
    expects: { text: /^ \[INJECTED\]./s },
  },
  {
    name: "forward_pass/backtrack",
    source: modSourceOf(`forwardPass(event, actions) {
    if (event.step === 5) return actions.backtrack(1, " [BACKTRACKED]", { heal: false });
  },
  backtracked: (event) => console.log(event.removed.length),`),
    expects: { text: / \[BACKTRACKED\]/, lines: ["1"] },
  },
  {
    name: "forward_pass/adjust_logits",
    source: modSourceOf(`forwardPass(event, actions, tokenizer) {
    const [banned = 0] = tokenizer.encode("—");
    const logits = event.logits;
    logits[banned] = Number.NEGATIVE_INFINITY;
    return actions.adjustLogits(logits);
  },`),
    expects: { text: plainOutputMarker },
  },
  {
    name: "forward_pass/force_output",
    source: modSourceOf(
      `forwardPass: (event, actions) => (event.step === 3 ? actions.forceOutput(" [END]") : actions.noop()),`,
    ),
    expects: { text: " [END]" },
  },
  {
    name: "forward_pass/tool_calls",
    source: modSourceOf(`forwardPass: (_event, actions) =>
    actions.toolCalls({ name: "calculator", arguments: '{"operation": "add", "a": 2, "b": 2}' }),`),
    expects: { calls: ['calculator({"operation": "add", "a": 2, "b": 2})'] },
  },
  { name: "added/noop", source: noop("added"), expects: { text: plainOutputMarker } },
  {
    name: "added/force_tokens",
    source: after(["hel", "lo"], 'forceTokens(" world", { heal: false })'),
    expects: { text: /^hello world/ },
  },
  {
    name: "added/backtrack",
    source: after(
      ["bad", " phrase"],
      'backtrack(event.output.tokens.length, "good phrase", { heal: false })',
    ),
    expects: { text: /^good phrase/ },
  },
  {
    name: "added/force_output",
    source: after(["stop", " word"], 'forceOutput(" [STOPPED]")'),
    expects: { text: " [STOPPED]" },
  },
  {
    name: "added/tool_calls",
    source: after(["search", " for"], `toolCalls({ name: "search", arguments: '{"query": "test query"}' })`),
    expects: { calls: ['search({"query": "test query"})'] },
  },
  { name: "sampled/noop", source: noop("sampled"), expects: { text: plainOutputMarker } },
  {
    name: "sampled/force_tokens",
    source: atSampled(1, 'forceTokens(" [OBSERVED]", { heal: false })'),
    expects: { text: /^ \[OBSERVED\]/ },
  },
  {
    name: "sampled/backtrack",
    source: modSourceOf(`sampled(event, actions) {
    if (event.step === 2) return actions.backtrack(1, " [RESAMPLED]", { heal: false });
  },
  backtracked: (event) => console.log(event.removed.length),`),
    expects: { text: / \[RESAMPLED\]/, lines: ["1"] },
  },
  {
    name: "sampled/force_output",
    source: atSampled(5, 'forceOutput(" [SAMPLED_END]")'),
    expects: { text: " [SAMPLED_END]" },
  },
  {
    name: "sampled/tool_calls",
    source: atSampled(
      2,
      `toolCalls({ name: "query_database", arguments: '{"table": "users", "limit": 10}' })`,
    ),
    expects: { calls: ['query_database({"table": "users", "limit": 10})'] },
  },
  {
    name: "inference/force_tokens: from the first pass, as nothing can be forced before the prompt is read",
    source: modSourceOf(
      `forwardPass: (event, actions) => (event.step === 0 ? actions.forceTokens("Hi", { heal: false }) : undefined),`,
    ),
    expects: { text: /^Hi/ },
  },
  {
    name: "inference/force_output",
    source: modSourceOf(`prefilled: (_event, actions) => actions.forceOutput("DONE"),`),
    expects: { text: "DONE" },
  },
  {
    name: "inference/tool_calls",
    source: modSourceOf(`prefilled: (_event, actions) => actions.toolCalls({ name: "f", arguments: "{}" }),`),
    expects: { calls: ["f({})"] },
  },
  {
    name: "inference/adjusted_logits",
    source: modSourceOf("forwardPass: (event, actions) => actions.adjustLogits(event.logits),"),
    expects: { text: plainOutputMarker },
  },
  {
    name: "inference/backtrack: of no token, since the drawn one is no part of the output yet",
    source: atSampled(1, 'backtrack(0, "B", { heal: false })'),
    expects: { text: /^B/ },
  },
  {
    name: "inference/adjusted_prefill",
    prompt: "Say hi.",
    source:
      modSourceOf(`prefilled: (_event, actions) => actions.adjustPrefill({ replace: ["Say hi.", "Say bye."] }, { maxSteps: 3 }),
  finished: (event) => console.log(event.usage.completionTokens),`),
    expects: { prompt: { has: "Say bye.", lacks: "hi" } },
  },
];
