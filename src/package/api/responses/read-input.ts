/** Reads `input` of a response request: a text or items. Each item is checked field by field, and errors name the item. */
import { isRecord } from "../../../core/base/record.ts";
import { traceLimits } from "../../../core/trace/format/limits.ts";
import { invalidRequestError } from "../api-error.ts";
import { BodyFields } from "../body-fields.ts";
import type { ResponseInputMessage, ResponseItem, ResponseReasoning } from "./response-types.ts";

export interface InputReaderOptions {
  /** Finds an item of a stored response. */
  readonly stored: (id: string) => ResponseItem | undefined;
  /** Makes an id for an item without one. */
  readonly newId: (prefix: "msg" | "fc" | "fco" | "rs") => string;
}

/** @throws ApiError, 400, that names the item and its field. */
export function readInput(body: BodyFields, reading: InputReaderOptions): readonly ResponseItem[] {
  const value = body.take("input");
  if (typeof value === "string" && value !== "") {
    return [inputMessage(reading.newId("msg"), "user", value)];
  }
  if (!Array.isArray(value) || value.length === 0) {
    const cure = 'give a string, or a list of items, such as [{ "role": "user", "content": "Hello" }]';
    throw body.refusal("input", value, cure);
  }
  if (value.length > traceLimits.messages) {
    const cure = `give at most ${traceLimits.messages}`;
    throw invalidRequestError(`input has ${value.length} items: ${cure}.`, "input");
  }
  return value.map((item: unknown, index) => readItem(item, `input[${index}]`, reading));
}

function inputMessage(id: string, role: ResponseInputMessage["role"], text: string): ResponseInputMessage {
  return { id, type: "message", role, status: "completed", content: [{ type: "input_text", text }] };
}

function readItem(value: unknown, path: string, reading: InputReaderOptions): ResponseItem {
  const fields = new BodyFields(value, path);
  const type = fields.take("type") ?? typeWithoutName(value);
  const read = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read) {
    const known = [...Object.keys(readers), "item_reference"].map((name) => `"${name}"`).join(", ");
    const cure = `write one of ${known}: these models know only functions and text`;
    if (type !== "item_reference") throw fields.refusal("type", type, cure, "unsupported_value");
    return referredItem(fields, reading);
  }
  const item = read(fields, path, reading);
  fields.refuseOthers();
  return item;
}

/** In OpenAI's API, messages and references may omit their type. */
function typeWithoutName(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  if (value.role !== undefined) return "message";
  return Object.keys(value).join() === "id" ? "item_reference" : undefined;
}

function referredItem(fields: BodyFields, { stored }: InputReaderOptions): ResponseItem {
  const id = fields.requiredText("id");
  const item = stored(id);
  fields.refuseOthers();
  if (item) return item;
  const cure =
    "no response that is stored here has an item with this id. Send the item itself: responses with store: false are not stored, and the oldest responses are dropped";
  throw fields.refusal("id", id, cure, "item_not_found");
}

type ReadItem = (fields: BodyFields, path: string, reading: InputReaderOptions) => ResponseItem;

const readers: Readonly<Record<string, ReadItem>> = {
  message: readMessageItem,
  function_call(fields, _path, { newId }) {
    const text = fields.text("arguments");
    if (text === undefined) throw fields.refusal("arguments", text, "give the arguments as JSON text");
    const status = fields.oneOf("status", ["in_progress", "completed", "incomplete"]) ?? "completed";
    // OpenAI's client adds parsed arguments.
    for (const name of ["parsed_arguments", "namespace", "caller", "async"]) fields.take(name);
    return {
      id: fields.text("id") ?? newId("fc"),
      type: "function_call",
      call_id: fields.requiredText("call_id"),
      name: fields.requiredText("name"),
      arguments: text,
      status,
    };
  },
  function_call_output(fields, path, { newId }) {
    for (const name of ["status", "name", "namespace", "caller"]) fields.take(name);
    return {
      id: fields.text("id") ?? newId("fco"),
      type: "function_call_output",
      call_id: fields.requiredText("call_id"),
      output: readTexts(fields, "output", path, ["input_text"]).join(""),
      status: "completed",
    };
  },
  reasoning: readReasoning,
};

const roles = ["user", "assistant", "system", "developer"] as const;

function readMessageItem(fields: BodyFields, path: string, { newId }: InputReaderOptions): ResponseItem {
  const role = fields.oneOf("role", roles);
  if (role === undefined) throw fields.refusal("role", role, `write one of ${roles.join(", ")}`);
  for (const name of ["status", "phase"]) fields.take(name);
  const id = fields.text("id") ?? newId("msg");
  if (role !== "assistant") {
    const content = readTexts(fields, "content", path, ["input_text"]).map((text) => ({
      type: "input_text" as const,
      text,
    }));
    return { id, type: "message", role, status: "completed", content };
  }
  const texts = readTexts(fields, "content", path, ["output_text", "input_text"]);
  const content = texts.map((text) => ({ type: "output_text" as const, text, annotations: [] }));
  return { id, type: "message", role, status: "completed", content };
}

/** The texts of a field that contains a text or a list of text parts. */
function readTexts(
  fields: BodyFields,
  name: string,
  path: string,
  types: readonly string[],
): readonly string[] {
  const value = fields.take(name);
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) throw fields.refusal(name, value, "give a string, or a list of text parts");
  if (value.length > traceLimits.entries) {
    const cure = `give at most ${traceLimits.entries}`;
    throw invalidRequestError(`${path}.${name} has ${value.length} parts: ${cure}.`, `${path}.${name}`);
  }
  return value.map((part: unknown, index) => readPart(part, `${path}.${name}[${index}]`, types));
}

function readPart(value: unknown, path: string, types: readonly string[]): string {
  const fields = new BodyFields(value, path);
  const type = fields.take("type");
  if (typeof type !== "string" || !types.includes(type)) {
    const cure = `write { "type": "${types[0]}", "text": … }: these models read only text`;
    throw fields.refusal("type", type, cure, "unsupported_value");
  }
  const text = fields.text("text");
  if (text === undefined) throw fields.refusal("text", text, "give a string");
  const annotations = fields.take("annotations");
  if (annotations !== undefined && !(Array.isArray(annotations) && annotations.length === 0)) {
    throw fields.refusal("annotations", annotations, "leave it out", "unsupported_parameter");
  }
  // Fields that OpenAI's client adds to an answer, which is then sent back.
  for (const name of ["logprobs", "parsed", "prompt_cache_breakpoint"]) fields.take(name);
  fields.refuseOthers();
  return text;
}

/** The text in `content`; if there is none, the text of `summary`, which other servers send. */
function readReasoning(fields: BodyFields, path: string, { newId }: InputReaderOptions): ResponseReasoning {
  const encrypted = fields.text("encrypted_content");
  const content = fields.take("content") === undefined ? [] : reasoningTexts(fields, "content", path);
  const summary = fields.take("summary") === undefined ? [] : reasoningTexts(fields, "summary", path);
  if (encrypted && content.length + summary.length === 0) {
    const cure = "leave the item out: only the server that encrypted the reasoning can read it";
    throw fields.refusal("encrypted_content", encrypted, cure, "unsupported_parameter");
  }
  fields.take("status");
  const texts = content.length > 0 ? content : summary;
  return {
    id: fields.text("id") ?? newId("rs"),
    type: "reasoning",
    summary: [],
    content: texts.map((text) => ({ type: "reasoning_text", text })),
    status: "completed",
  };
}

function reasoningTexts(fields: BodyFields, name: "content" | "summary", path: string): readonly string[] {
  return readTexts(fields, name, path, [name === "content" ? "reasoning_text" : "summary_text"]);
}
