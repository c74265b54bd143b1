/** Reads `text`, `tools` and `tool_choice` of a response request. They have fewer levels than in a chat request; after conversion, the same reader checks them. */
import { allowsSeveralCalls } from "../../../core/base/request-defaults.ts";
import type { PropertyOrder } from "../../../core/sdk/request.ts";
import {
  type RequestFormat,
  RequestFormatError,
  readRequestFormat,
} from "../../../core/tools/request-format.ts";
import { ApiError } from "../api-error.ts";
import { BodyFields } from "../body-fields.ts";
import { toResponseFieldNames } from "./response-fields.ts";
import type {
  EchoedRequestFields,
  ResponseFunctionTool,
  ResponseTextFormat,
  ResponseToolChoice,
} from "./response-types.ts";

export interface TextAndToolsFields {
  readonly request: RequestFormat;
  readonly asked: Pick<EchoedRequestFields, "text" | "tools" | "tool_choice" | "parallel_tool_calls">;
}

/** @throws ApiError, 400, that names the field. */
export function readTextAndTools(body: BodyFields): TextAndToolsFields {
  const tools = readTools(body);
  const choice = readToolChoice(body);
  const format = readTextFormat(body);
  const parallel = allowsSeveralCalls(body.flag("parallel_tool_calls"), choice);
  return {
    request: checkedFormat({
      tools: tools.map(({ type, strict: _, ...about }) => ({ type, function: withoutNulls(about) })),
      toolChoice: typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } },
      parallelToolCalls: parallel,
      responseFormat: chatFormat(format),
    }),
    asked: { tools, tool_choice: choice, text: { format }, parallel_tool_calls: parallel },
  };
}

function checkedFormat(fields: Parameters<typeof readRequestFormat>[0]): RequestFormat {
  try {
    return readRequestFormat(fields);
  } catch (cause) {
    if (!(cause instanceof RequestFormatError)) throw cause;
    const { message, field: param } = cause;
    throw new ApiError(toResponseFieldNames(message), {
      status: 400,
      type: "invalid_request_error",
      code: "invalid_value",
      param: toResponseFieldNames(param),
      cause,
    });
  }
}

function readTools(body: BodyFields): ResponseFunctionTool[] {
  const value = body.take("tools");
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw body.refusal("tools", value, "give a list of tools, or leave it out");
  return value.map((tool: unknown, index) => readTool(new BodyFields(tool, `tools[${index}]`)));
}

/** Values at which a tool's setting has no effect. */
const harmless: readonly unknown[] = [undefined, false];

function readTool(fields: BodyFields): ResponseFunctionTool {
  const type = fields.take("type");
  if (type !== "function") {
    const cure =
      'write "function": tools that run on OpenAI\'s servers are not available here. Offer a function instead, and run the function yourself';
    throw fields.refusal("type", type, cure, "unsupported_value");
  }
  for (const name of ["defer_loading", "async", "output_schema", "allowed_callers"]) {
    const value = fields.take(name);
    const isDirect = name === "allowed_callers" && String(value) === "direct";
    if (harmless.includes(value) || isDirect) continue;
    throw fields.refusal(name, value, "leave it out", "unsupported_parameter");
  }
  const tool = {
    type,
    name: fields.requiredText("name"),
    description: fields.text("description") ?? null,
    // The reader of chat requests checks this value.
    parameters: (fields.take("parameters") ?? null) as ResponseFunctionTool["parameters"],
    strict: fields.flag("strict") ?? true,
    ...orderOf(fields),
  } as const;
  fields.refuseOthers();
  return tool;
}

function orderOf(fields: BodyFields): { readonly order?: PropertyOrder } {
  const order = fields.oneOf("order", ["required", "schema", "any"]);
  return order === undefined ? {} : { order };
}

function readToolChoice(body: BodyFields): ResponseToolChoice {
  const value = body.take("tool_choice") ?? "auto";
  const words = ["none", "auto", "required"] as const;
  const word = words.find((each) => each === value);
  if (word) return word;
  const cure = `write "none", "auto", "required" or { "type": "function", "name": … }`;
  if (typeof value === "string") throw body.refusal("tool_choice", value, cure);
  const fields = new BodyFields(value, "tool_choice");
  const type = fields.take("type");
  if (type !== "function") throw body.refusal("tool_choice", value, cure, "unsupported_value");
  const name = fields.requiredText("name");
  fields.refuseOthers();
  return { type, name };
}

function readTextFormat(body: BodyFields): ResponseTextFormat {
  const text = body.object("text");
  const verbosity = text?.take("verbosity");
  if (text && verbosity !== undefined && verbosity !== "medium") {
    const cure = "leave it out, and ask for a short or a long answer in a message";
    throw text.refusal("verbosity", verbosity, cure, "unsupported_parameter");
  }
  const format = text?.object("format");
  text?.refuseOthers();
  if (!format) return { type: "text" };
  const type = format.oneOf("type", ["text", "json_object", "json_schema"]);
  if (type === undefined) {
    throw format.refusal("type", type, 'write "text", "json_object" or "json_schema"');
  }
  if (type !== "json_schema") {
    format.refuseOthers();
    return { type };
  }
  const description = format.text("description");
  const read = {
    type,
    name: format.requiredText("name"),
    // The reader of chat requests checks this value.
    schema: format.take("schema") as { [key: string]: unknown },
    strict: format.flag("strict") ?? true,
    ...orderOf(format),
    ...(description !== undefined && { description }),
  } as const;
  format.refuseOthers();
  return read;
}

function chatFormat(format: ResponseTextFormat): unknown {
  if (format.type !== "json_schema") return format;
  const { type, ...about } = format;
  return { type, json_schema: about };
}

function withoutNulls(about: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null));
}
