/** Checks the format that a request asks for: tools, tool choice, response format. */
import { refuseUnknownKeys } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";
import { allowsSeveralCalls } from "../base/request-defaults.ts";
import { showJson } from "../base/show.ts";
import type { PropertyOrder, ResponseFormat, ToolChoice, ToolDefinition } from "../sdk/request.ts";

export interface RequestFormat {
  readonly tools: readonly ToolDefinition[];
  /** Whether the model may or must call a tool, and which one; "auto" by default. */
  readonly toolChoice: ToolChoice;
  /** Whether an answer may have several calls. */
  readonly parallelToolCalls: boolean;
  /** Null for plain text. */
  readonly responseFormat: ResponseFormat | null;
}

/**
 * A field of the request is wrong or cannot be enforced. The message names the field and its value, and says what to write
 * instead.
 */
export class RequestFormatError extends Error {
  override readonly name = "RequestFormatError";
  constructor(
    /** For example `tools[0].function.name`. */
    readonly field: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${field}${reason}`, options);
  }
}

const propertyOrders: readonly PropertyOrder[] = ["required", "schema", "any"];
const MOST_TOOLS = 128;
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** Checks the fields that a client sent. @throws RequestFormatError */
export function readRequestFormat(fields: {
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly parallelToolCalls?: unknown;
  readonly responseFormat?: unknown;
}): RequestFormat {
  const tools = readTools(fields.tools);
  const { parallelToolCalls: parallel } = fields;
  if (parallel !== undefined && parallel !== null && typeof parallel !== "boolean") {
    refuse("parallel_tool_calls", ` is ${given(parallel)}: write true or false.`);
  }
  return {
    tools,
    toolChoice: readToolChoice(fields.toolChoice, tools),
    parallelToolCalls: allowsSeveralCalls(parallel as boolean | null | undefined, fields.toolChoice),
    responseFormat: readResponseFormat(fields.responseFormat),
  };
}

/** @throws RequestFormatError */
export function readTools(value: unknown): readonly ToolDefinition[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return refuse("tools", ` is ${given(value)}: give a list of tools.`);
  if (value.length > MOST_TOOLS) refuse("tools", ` has ${value.length} tools: give at most ${MOST_TOOLS}.`);
  const names = new Map<string, number>();
  return value.map((tool: unknown, index) => {
    const read = readTool(tool, `tools[${index}]`);
    const { name } = read.function;
    const first = names.get(name);
    if (first !== undefined) {
      refuse(
        `tools[${index}].function.name`,
        ` is ${given(name)}, the same as the name of tools[${first}]: give each tool a different name.`,
      );
    }
    names.set(name, index);
    return read;
  });
}

function readTool(value: unknown, field: string): ToolDefinition {
  if (!isRecord(value)) {
    return refuse(field, ` is ${given(value)}: write { "type": "function", "function": { "name": … } }.`);
  }
  if (value.type !== "function") {
    refuse(`${field}.type`, ` is ${given(value.type)}: write "function", the only type.`);
  }
  checkKeys(value, ["type", "function"], field);
  const about = value.function;
  if (!isRecord(about)) {
    return refuse(`${field}.function`, ` is ${given(about)}: write { "name": …, "parameters": … }.`);
  }
  checkKeys(about, ["name", "description", "parameters", "strict", "order"], `${field}.function`);
  const { name, description, parameters, order } = about;
  if (typeof name !== "string" || !namePattern.test(name)) {
    refuse(`${field}.function.name`, ` is ${given(name)}: use 1 to 64 letters, digits, _ and -.`);
  }
  if (isGiven(description) && typeof description !== "string") {
    refuse(`${field}.function.description`, ` is ${given(description)}: give a string, or leave it out.`);
  }
  if (isGiven(parameters)) checkParameters(parameters, `${field}.function.parameters`);
  if (isGiven(order)) readOrder(order, `${field}.function.order`);
  const entries = Object.entries(about).filter(([, each]) => isGiven(each));
  return { type: "function", function: Object.fromEntries(entries) as unknown as ToolDefinition["function"] };
}

function checkParameters(value: unknown, field: string): void {
  if (!isRecord(value)) {
    refuse(field, ` is ${given(value)}: give a JSON Schema for an object, or leave it out.`);
    return;
  }
  if (value.type !== undefined && value.type !== "object") {
    refuse(
      `${field}.type`,
      ` is ${given(value.type)}: write "object", because the arguments of a call are an object.`,
    );
  }
}

/** @throws RequestFormatError */
export function readToolChoice(value: unknown, tools: readonly ToolDefinition[]): ToolChoice {
  if (value === undefined || value === null) return "auto";
  const names = tools.map((tool) => given(tool.function.name)).join(", ");
  if (value === "none" || value === "auto") return value;
  if (value === "required") {
    if (tools.length > 0) return value;
    return refuse(
      "tool_choice",
      ' is "required", but the request has no tools: give tools, or write "auto".',
    );
  }
  const about = isRecord(value) && value.type === "function" ? value.function : undefined;
  if (isRecord(value) && isRecord(about)) {
    checkKeys(value, ["type", "function"], "tool_choice");
    checkKeys(about, ["name"], "tool_choice.function");
  }
  if (!isRecord(about) || typeof about.name !== "string") {
    return refuse(
      "tool_choice",
      ` is ${given(value)}: write "none", "auto", "required" or { "type": "function", "function": { "name": … } }.`,
    );
  }
  const { name } = about;
  if (tools.some((tool) => tool.function.name === name)) return { type: "function", function: { name } };
  const there = names === "" ? "the request has no tools" : `the tools are ${names}`;
  return refuse(
    "tool_choice.function.name",
    ` is ${given(name)}, but ${there}: name one of the request's tools.`,
  );
}

/** Null if absent, and for `{ "type": "text" }`. @throws RequestFormatError */
function readResponseFormat(value: unknown): ResponseFormat | null {
  if (value === undefined || value === null) return null;
  const field = "response_format";
  if (!isRecord(value)) return refuse(field, ` is ${given(value)}: write { "type": "json_object" }.`);
  if (value.type === "text") {
    checkKeys(value, ["type"], field);
    return null;
  }
  if (value.type === "json_object") return readJsonObject(value, field);
  if (value.type !== "json_schema") {
    return refuse(`${field}.type`, ` is ${given(value.type)}: write "text", "json_object" or "json_schema".`);
  }
  checkKeys(value, ["type", "json_schema"], field);
  const about = value.json_schema;
  if (!isRecord(about)) {
    return refuse(`${field}.json_schema`, ` is ${given(about)}: write { "name": …, "schema": … }.`);
  }
  checkKeys(about, ["name", "description", "schema", "strict", "order"], `${field}.json_schema`);
  const { name, schema, strict, order } = about;
  if (typeof name !== "string" || !namePattern.test(name)) {
    return refuse(`${field}.json_schema.name`, ` is ${given(name)}: use 1 to 64 letters, digits, _ and -.`);
  }
  if (!isRecord(schema)) {
    return refuse(`${field}.json_schema.schema`, ` is ${given(schema)}: give a JSON Schema as an object.`);
  }
  if (strict !== undefined && strict !== null && typeof strict !== "boolean") {
    refuse(`${field}.json_schema.strict`, ` is ${given(strict)}: write true or false, or leave it out.`);
  }
  // `strict` is ignored: the schema is always enforced.
  const asked = isGiven(order) ? { order: readOrder(order, `${field}.json_schema.order`) } : {};
  return { type: "json_schema", json_schema: { name, schema, ...asked } };
}

function readOrder(value: unknown, field: string): PropertyOrder {
  const found = propertyOrders.find((each) => each === value);
  return found ?? refuse(field, ` is ${given(value)}: write "required", "schema" or "any", or leave it out.`);
}

/**
 * `{ "type": "json_object" }`. If it has a `schema`, as in llama.cpp's API, this schema is enforced. @throws
 * RequestFormatError
 */
function readJsonObject(value: Record<string, unknown>, field: string): ResponseFormat {
  checkKeys(value, ["type", "schema"], field);
  const { schema } = value;
  if (!isGiven(schema)) return { type: "json_object" };
  if (!isRecord(schema)) {
    return refuse(
      `${field}.schema`,
      ` is ${given(schema)}: give a JSON Schema as an object, or leave it out.`,
    );
  }
  return { type: "json_schema", json_schema: { name: "json_object", schema } };
}

/** False for null, because some clients send null for fields that they do not set. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** @throws RequestFormatError for an unknown key that has a value. */
function checkKeys(value: Record<string, unknown>, known: readonly string[], path: string): void {
  const entries = Object.entries(value).filter(([, each]) => isGiven(each));
  refuseUnknownKeys(
    Object.fromEntries(entries),
    known,
    path,
    (message, field) => new RequestFormatError(field, message.slice(field.length)),
  );
}

/** The client's value, as an error message quotes it. */
function given(value: unknown): string {
  return value === undefined ? "missing" : showJson(value);
}

function refuse(field: string, reason: string): never {
  throw new RequestFormatError(field, reason);
}
