/** Describes a request's format in words. The trace shows this text as the source of the mod that enforces the format. */
import { requestFormatModMark } from "../sdk/built-in.ts";
import type { ToolDefinition } from "../sdk/request.ts";
import type { AnswerConstraints } from "./answer-constraints.ts";
import type { ToolFormat } from "./format.ts";
import type { RequestFormat } from "./request-format.ts";

/** Longer schemas are not shown in full, so that the trace still fits into a link. */
const MOST_CHARACTERS = 1500;

export function requestFormatModSource(
  request: RequestFormat,
  format: ToolFormat,
  constraints: AnswerConstraints,
): string {
  return [
    requestFormatModMark,
    ...aboutText(request, constraints),
    ...aboutTools(request, format, constraints),
  ].join("\n");
}

function aboutText({ responseFormat }: RequestFormat, { text }: AnswerConstraints): string[] {
  if (responseFormat === null || !text) return [];
  if (responseFormat.type !== "json_schema") {
    return ["// response_format json_object: the answer is one JSON object. Other tokens are masked."];
  }
  const { name, schema } = responseFormat.json_schema;
  return [
    `// response_format json_schema: the answer is JSON that is valid against this schema. Other tokens are masked,`,
    "// and where the schema leaves no choice the text is forced.",
    `const ${name.replaceAll("-", "_")} = ${shown(schema)};`,
  ];
}

function aboutTools(
  { tools, toolChoice }: RequestFormat,
  { example }: ToolFormat,
  { isFree }: AnswerConstraints,
): string[] {
  if (tools.length === 0) return [];
  const names = tools.map((tool) => tool.function.name);
  if (toolChoice === "none") {
    return [
      `// tool_choice "none": the prompt does not offer ${list(names)}, and the model cannot begin a call.`,
    ];
  }
  const offered =
    typeof toolChoice === "string"
      ? tools
      : tools.filter((tool) => tool.function.name === toolChoice.function.name);
  return [
    aboutToolChoice(toolChoice, list(names), isFree),
    "// The arguments of a call are valid against the tool's schema. This model writes calls in this form:",
    ...example.split("\n").map((line) => `//   ${line}`),
    ...offered.map(aboutTool),
  ];
}

function aboutToolChoice(
  toolChoice: Exclude<RequestFormat["toolChoice"], "none">,
  names: string,
  isFree: boolean,
): string {
  if (toolChoice === "auto") {
    const text = isFree ? "free text" : "as above";
    return `// tool_choice "auto": the answer is ${text} until the model begins a call; after that, it is a call to ${names}.`;
  }
  if (toolChoice === "required") return `// tool_choice "required": the answer is a call to ${names}.`;
  return `// tool_choice: the answer is one call to ${toolChoice.function.name}.`;
}

function aboutTool({ function: { name, parameters } }: ToolDefinition): string {
  return `const ${name.replaceAll("-", "_")} = ${parameters ? shown(parameters) : "{}"};`;
}

function list(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : (names[0] ?? "");
}

function shown(schema: unknown): string {
  const text = JSON.stringify(schema, null, 2);
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS)}\n// … and ${(text.length - MOST_CHARACTERS).toLocaleString("en")} characters more`;
}
