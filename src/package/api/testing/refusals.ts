/**
 * Features of OpenAI's API that this API refuses, each with the field that its 400 names. Suites send every row; `docs/http.md`
 * lists them.
 */

export interface RefusalCase {
  /** A description for lists. */
  readonly what: string;
  readonly call: "chat" | "text" | "responses";
  /** Fields that are added to a valid request, or replace some of its fields. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The field that the error names. */
  readonly param: string;
}

/** Valid requests. */
export const validRequestBodies = {
  chat: { messages: [{ role: "user", content: "Once" }], max_tokens: 4 },
  text: { prompt: "Once", max_tokens: 4 },
  responses: { input: "Once", max_output_tokens: 16 },
} as const;

const part = (value: unknown) => ({ messages: [{ role: "user", content: [value] }] });
const assistant = (fields: object) => ({
  messages: [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi", ...fields },
  ],
});

const chat: readonly Omit<RefusalCase, "call">[] = [
  { what: "speech as an answer", body: { audio: { voice: "alloy", format: "wav" } }, param: "audio" },
  { what: "answers that are not text", body: { modalities: ["text", "audio"] }, param: "modalities" },
  { what: "`functions`, which `tools` replaced", body: { functions: [{ name: "f" }] }, param: "functions" },
  {
    what: "`function_call`, which `tool_choice` replaced",
    body: { function_call: "auto" },
    param: "function_call",
  },
  { what: "effort of reasoning", body: { reasoning_effort: "low" }, param: "reasoning_effort" },
  { what: "verbosity", body: { verbosity: "low" }, param: "verbosity" },
  { what: "search in the web", body: { web_search_options: {} }, param: "web_search_options" },
  { what: "moderation", body: { moderation: { model: "omni-moderation-latest" } }, param: "moderation" },
  {
    what: "more than 10 most likely tokens of a step",
    body: { logprobs: true, top_logprobs: 20 },
    param: "top_logprobs",
  },
  {
    what: "random characters that hide the lengths of pieces",
    body: { stream: true, stream_options: { include_obfuscation: true } },
    param: "stream_options.include_obfuscation",
  },
  {
    what: "pictures",
    body: part({ type: "image_url", image_url: { url: "data:," } }),
    param: "messages[0].content[0].type",
  },
  {
    what: "recorded speech",
    body: part({ type: "input_audio", input_audio: { data: "", format: "wav" } }),
    param: "messages[0].content[0].type",
  },
  {
    what: "files",
    body: part({ type: "file", file: { file_id: "file-1" } }),
    param: "messages[0].content[0].type",
  },
  {
    what: "messages of the role `function`, which `tool` replaced",
    body: { messages: [{ role: "function", name: "f", content: "1" }] },
    param: "messages[0].role",
  },
  {
    what: "`function_call` of an earlier answer",
    body: assistant({ function_call: { name: "f", arguments: "{}" } }),
    param: "messages[1].function_call",
  },
  {
    what: "calls of tools that take any text",
    body: assistant({ tool_calls: [{ id: "1", type: "custom", custom: { name: "t", input: "" } }] }),
    param: "messages[1].tool_calls[0].type",
  },
  {
    what: "tools that take any text",
    body: { tools: [{ type: "custom", custom: { name: "t" } }] },
    param: "tools[0].type",
  },
  {
    what: "a choice among some of the tools",
    body: {
      tools: [{ type: "function", function: { name: "f" } }],
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } },
    },
    param: "tool_choice",
  },
];

const text: readonly Omit<RefusalCase, "call">[] = [
  { what: "a text after the gap", body: { suffix: "The end." }, param: "suffix" },
  { what: "the best of several answers", body: { best_of: 3 }, param: "best_of" },
  { what: "prompts as token ids", body: { prompt: [1, 2, 3] }, param: "prompt" },
  { what: "several prompts as token ids", body: { prompt: [[1, 2], [3]] }, param: "prompt" },
  { what: "log-probabilities of an echoed prompt", body: { echo: true, logprobs: 1 }, param: "echo" },
];

const responses: readonly Omit<RefusalCase, "call">[] = [
  { what: "answers after the request has ended", body: { background: true }, param: "background" },
  {
    what: "conversations that are kept by their id",
    body: { conversation: "conv_1" },
    param: "conversation",
  },
  {
    what: "inputs that are made shorter",
    body: { context_management: [{ type: "compaction" }] },
    param: "context_management",
  },
  { what: "the same, by leaving out the middle", body: { truncation: "auto" }, param: "truncation" },
  { what: "prompts that are kept by their id", body: { prompt: { id: "pmpt_1" } }, param: "prompt" },
  { what: "moderation", body: { moderation: { model: "omni-moderation-latest" } }, param: "moderation" },
  { what: "several answers", body: { n: 2 }, param: "n" },
  { what: "effort of reasoning", body: { reasoning: { effort: "low" } }, param: "reasoning.effort" },
  {
    what: "summaries of reasoning",
    body: { reasoning: { summary: "detailed" } },
    param: "reasoning.summary",
  },
  { what: "verbosity", body: { text: { verbosity: "low" } }, param: "text.verbosity" },
  {
    what: "what tools of the server have found",
    body: { include: ["web_search_call.results"] },
    param: "include",
  },
  {
    what: "more than 10 most probable tokens of a step",
    body: { include: ["message.output_text.logprobs"], top_logprobs: 20 },
    param: "top_logprobs",
  },
  {
    what: "random characters that hide the lengths of pieces",
    body: { stream: true, stream_options: { include_obfuscation: true } },
    param: "stream_options.include_obfuscation",
  },
  ...[
    "web_search",
    "file_search",
    "code_interpreter",
    "computer_use_preview",
    "image_generation",
    "mcp",
    "local_shell",
    "custom",
  ].map((type) => ({
    what: `tools of the type \`${type}\``,
    body: { tools: [{ type }] },
    param: "tools[0].type",
  })),
  {
    what: "a choice among some of the tools",
    body: {
      tools: [{ type: "function", name: "f", parameters: null, strict: true }],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [] },
    },
    param: "tool_choice",
  },
  {
    what: "pictures",
    body: { input: [{ role: "user", content: [{ type: "input_image", image_url: "data:," }] }] },
    param: "input[0].content[0].type",
  },
  {
    what: "files",
    body: { input: [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }] },
    param: "input[0].content[0].type",
  },
  {
    what: "refusals of an earlier answer",
    body: { input: [{ role: "assistant", content: [{ type: "refusal", refusal: "I cannot." }] }] },
    param: "input[0].content[0].type",
  },
  {
    what: "items of tools that the server runs",
    body: { input: [{ type: "web_search_call", id: "ws_1", status: "completed" }] },
    param: "input[0].type",
  },
  {
    what: "reasoning that another server encrypted",
    body: { input: [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }] },
    param: "input[0].encrypted_content",
  },
];

export const refusalCases: readonly RefusalCase[] = [
  ...chat.map((row) => ({ ...row, call: "chat" }) as const),
  ...text.map((row) => ({ ...row, call: "text" }) as const),
  ...responses.map((row) => ({ ...row, call: "responses" }) as const),
];
