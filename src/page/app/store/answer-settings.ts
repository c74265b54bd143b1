/** The requested answer as the user wrote it: a response format, tools, and which of them may be called. */

import { sharedDefaults } from "../../../core/base/request-defaults.ts";
import type { ResponseFormat, ToolDefinition } from "../../../core/sdk/request.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { asChoice, asRecord, asString } from "./persist.ts";

export interface AnswerFormatSettings {
  readonly format: "text" | "json" | "schema";
  /** JSON Schema, as typed. The text stays while another format is chosen. */
  readonly schema: string;
  readonly offersTools: boolean;
  /** A list of tools in JSON, as typed. */
  readonly tools: string;
  /** "auto", "required", "none", or the name of a function with a colon before it. */
  readonly toolChoice: string;
  /** Whether an answer may have several calls; null until the user chooses: see `settingsAllowSeveralCalls`. */
  readonly parallelToolCalls: boolean | null;
  /** Whether the model thinks first; "auto": as its chat template has it. */
  readonly thinking: "auto" | "on" | "off";
}

const exampleSchema = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 30 },
    age: { type: "integer", minimum: 0, maximum: 150 },
  },
  required: ["name", "age"],
  additionalProperties: false,
};

const exampleTools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Weather at a place",
      parameters: {
        type: "object",
        properties: {
          city: { type: "string", maxLength: 30 },
          unit: { enum: ["celsius", "fahrenheit"] },
        },
        required: ["city", "unit"],
        additionalProperties: false,
      },
    },
  },
];

export const defaultAnswerFormatSettings: AnswerFormatSettings = {
  format: "text",
  schema: JSON.stringify(exampleSchema, null, 2),
  offersTools: false,
  tools: JSON.stringify(exampleTools, null, 2),
  toolChoice: sharedDefaults.toolChoice,
  parallelToolCalls: null,
  thinking: "auto",
};

const thinkingChoices = ["auto", "on", "off"] as const;

const toolChoices = ["auto", "required", "none"] as const;

const formats = ["text", "json", "schema"] as const;

/** Settings from storage: each valid field, and the default for each other field. */
export function parseAnswerFormatSettings(value: unknown): AnswerFormatSettings {
  const fields = asRecord(value) ?? {};
  return {
    format: asChoice(fields.format, formats) ?? defaultAnswerFormatSettings.format,
    schema: asString(fields.schema) ?? defaultAnswerFormatSettings.schema,
    offersTools: fields.offersTools === true,
    tools: asString(fields.tools) ?? defaultAnswerFormatSettings.tools,
    toolChoice: asString(fields.toolChoice) ?? defaultAnswerFormatSettings.toolChoice,
    parallelToolCalls: typeof fields.parallelToolCalls === "boolean" ? fields.parallelToolCalls : null,
    thinking: asChoice(fields.thinking, thinkingChoices) ?? defaultAnswerFormatSettings.thinking,
  };
}

export type AnswerRequestFields = Pick<
  RunRequest,
  "tools" | "toolChoice" | "parallelToolCalls" | "responseFormat" | "thinking"
>;

export type AnswerFieldsResult =
  | { readonly ok: true; readonly fields: AnswerRequestFields }
  | { readonly ok: false; readonly field: "schema" | "tools"; readonly problem: string };

/** The settings as fields of a request. Texts that are not JSON are reported here; the session reports all other faults. */
export function answerFieldsOfSettings(settings: AnswerFormatSettings): AnswerFieldsResult {
  const schema = settings.format === "schema" ? parse(settings.schema) : { value: null };
  if ("problem" in schema)
    return { ok: false, field: "schema", problem: `The schema is not valid JSON: ${schema.problem}` };
  const tools = settings.offersTools ? parse(settings.tools) : { value: [] };
  if ("problem" in tools)
    return { ok: false, field: "tools", problem: `The tools are not valid JSON: ${tools.problem}` };
  return {
    ok: true,
    fields: {
      responseFormat: responseFormat(settings, schema.value),
      // The session checks the tools, and names the field that is wrong.
      tools: tools.value as readonly ToolDefinition[],
      toolChoice: settings.offersTools ? parseToolChoice(settings.toolChoice) : "auto",
      parallelToolCalls: settingsAllowSeveralCalls(settings),
      ...(settings.thinking !== "auto" && { thinking: settings.thinking === "on" }),
    },
  };
}

function parseToolChoice(text: string): AnswerRequestFields["toolChoice"] {
  if (text.startsWith(":")) return { type: "function", function: { name: text.slice(1) } };
  return asChoice(text, toolChoices) ?? "auto";
}

/** Whether an output may have several calls. By default, an output that has to be a call is a single call. */
export function settingsAllowSeveralCalls({
  offersTools,
  parallelToolCalls,
  toolChoice,
}: AnswerFormatSettings): boolean {
  const hasToCall = offersTools && toolChoice !== "auto" && toolChoice !== "none";
  return parallelToolCalls ?? !hasToCall;
}

function responseFormat({ format }: AnswerFormatSettings, schema: unknown): ResponseFormat | null {
  switch (format) {
    case "text":
      return null;
    case "json":
      return { type: "json_object" };
    case "schema":
      return {
        type: "json_schema",
        json_schema: { name: "answer", schema: schema as Readonly<Record<string, unknown>> },
      };
  }
}

/**
 * The settings from which `answerFieldsOfSettings` makes the fields of a recorded request. If the record lacks a field, the text that the
 * user typed stays.
 */
export function answerSettingsOfRecord(
  request: Pick<RequestRecord, "tools" | "toolChoice" | "parallelToolCalls" | "responseFormat" | "thinking">,
): Partial<AnswerFormatSettings> {
  const { tools, toolChoice, parallelToolCalls, thinking } = request;
  const chosenThinking = thinking ? "on" : "off";
  return {
    thinking: thinking === undefined ? "auto" : chosenThinking,
    ...formatOfRecord(request.responseFormat),
    offersTools: tools.length > 0,
    ...(tools.length > 0 && {
      tools: indented(`[${tools.join(",")}]`),
      toolChoice: typeof toolChoice === "string" ? toolChoice : `:${toolChoice.function.name}`,
      parallelToolCalls,
    }),
  };
}

function formatOfRecord(text: string | null): Partial<AnswerFormatSettings> {
  if (text === null) return { format: "text" };
  const parsed = parse(text);
  const format = "value" in parsed ? asRecord(parsed.value) : null;
  if (format?.type === "json_object") return { format: "json" };
  const schema = asRecord(format?.json_schema)?.schema;
  // A format that cannot be read is shown as a schema: there the user sees the fault and can mend it.
  return { format: "schema", schema: schema === undefined ? text : JSON.stringify(schema, null, 2) };
}

function indented(text: string): string {
  const parsed = parse(text);
  return "value" in parsed ? JSON.stringify(parsed.value, null, 2) : text;
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (cause) {
    return { problem: (cause as Error).message };
  }
}

/** Names of the functions that the tools declare; empty while the tools cannot be parsed. */
export function toolNames({ tools }: AnswerFormatSettings): readonly string[] {
  const parsed = parse(tools);
  if (!("value" in parsed) || !Array.isArray(parsed.value)) return [];
  return parsed.value.flatMap((tool: unknown) => asString(asRecord(asRecord(tool)?.function)?.name) ?? []);
}
