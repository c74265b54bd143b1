/** Errors of shared readers and of the engine name the fields of a chat request; a response request has other names for some. */
import { ApiError } from "../api-error.ts";

const names: readonly (readonly [chat: RegExp, response: string])[] = [
  [/\bresponse_format\.json_schema\b/g, "text.format"],
  [/\bresponse_format\b/g, "text.format"],
  [/\b(tools\[\d+\])\.function\b/g, "$1"],
  [/\btool_choice\.function\b/g, "tool_choice"],
  [/^messages\b/g, "input"],
  [/^thinking$/g, "reasoning.effort"],
];

/** Replaces the chat field names in a text with those of a response request. */
export const responseField = (text: string): string =>
  names.reduce((result, [chat, response]) => result.replace(chat, response), text);

/** The same error with the field names of a response request, in its message too. Other errors stay as they are. */
export function withResponseFields(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { message, status, type, code, param, cause } = error;
  if (param === null) return error;
  return new ApiError(responseField(message), { status, type, code, param: responseField(param), cause });
}
