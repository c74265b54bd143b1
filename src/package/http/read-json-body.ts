/** The body of a request as JSON, of a bounded size. */

import { jsonShape } from "../../core/base/json-bounds.ts";
import { messageOf } from "../../core/base/message-of.ts";
import { ApiError, invalidRequest } from "../api/api-error.ts";

/** No request nests deeper. Code that reads or shows a value calls itself for each level, and the stack is limited. */
const mostDepth = 512;

/** An embedding request may list 300,000 tokens. An empty object of three characters takes 60 bytes of memory when parsed. */
const mostValues = 500_000;

export interface BodyLimit {
  readonly bytes: number;
  /** The error for a body above this limit. */
  error(): ApiError;
}

/** @param most for any body */
export function bodyLimit(most: number): BodyLimit {
  return {
    bytes: most,
    error: () =>
      new ApiError(`The body has more than ${most} bytes: send less.`, {
        status: 413,
        type: "invalid_request_error",
        code: "body_too_large",
      }),
  };
}

/** @throws ApiError: 415 for a body that does not say it is JSON, 400 for one that is no JSON, and the limit's for one that is larger. */
export async function readJsonBody(request: Request, limit: BodyLimit): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "none";
  // A page of another site cannot send JSON without asking first; a form or a plain text it can.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ApiError(`The request's content-type is ${type}: send JSON as application/json.`, {
      status: 415,
      type: "invalid_request_error",
      code: "unsupported_media_type",
    });
  }
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > limit.bytes) throw limit.error();
  const text = new TextDecoder().decode(await readBytes(request, limit));
  const { depth, values } = jsonShape(text);
  if (depth > mostDepth) {
    const message = `The body nests objects and arrays more than ${mostDepth} deep: nest less.`;
    throw invalidRequest(message, null, "invalid_json");
  }
  if (values > mostValues) {
    const message = `The body has ${values} entries of objects and arrays, and may have ${mostValues}: send fewer.`;
    throw invalidRequest(message, null, "invalid_json");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not JSON: ${messageOf(error)}.`, null, "invalid_json");
  }
}

/** @throws ApiError, the limit's, as soon as more bytes have come. */
export async function readBytes(request: Request, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > limit.bytes) {
      await reader?.cancel();
      throw limit.error();
    }
    parts.push(part.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
