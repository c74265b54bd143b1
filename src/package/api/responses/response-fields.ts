/** Renames fields in errors: shared readers and the engine use the names of chat requests, and response requests have other names for some fields. */
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
export const toResponseFieldNames = (text: string): string =>
  names.reduce((result, [chat, response]) => result.replace(chat, response), text);

/** The same error with a response request's field names, also in its message. Other errors are returned unchanged. */
export function withResponseFieldNames(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { message, status, type, code, param, cause } = error;
  if (param === null) return error;
  return new ApiError(toResponseFieldNames(message), {
    status,
    type,
    code,
    param: toResponseFieldNames(param),
    cause,
  });
}
