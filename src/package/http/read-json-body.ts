/** The body of a request as JSON, of a bounded size. */

import { readBoundedBody } from "../../core/base/bounded-body.ts";
import { measureJson } from "../../core/base/json-bounds.ts";
import { messageOf } from "../../core/base/message-of.ts";
import { ApiError, invalidRequestError } from "../api/api-error.ts";

/**
 * The deepest nesting. Valid requests are less deep. Code that reads or shows a value recurses for each level, and the stack
 * is limited.
 */
const mostDepth = 512;

/** The most JSON values. An embedding request may list 300,000 tokens. An empty object, three characters of JSON, takes 60 bytes of memory. */
const mostValues = 500_000;

export interface BodyLimit {
  readonly bytes: number;
  /** The error for a body above this limit. */
  error(): ApiError;
}

/** @param most the limit in bytes */
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

/** @throws ApiError: 415 if the content type is not JSON, 400 if the body is not valid JSON, and the limit's error if it is too large. */
export async function readJsonBody(request: Request, limit: BodyLimit): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "none";
  // A page of another site can send forms and plain text without a preflight request, but not JSON.
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
  const { depth, values } = measureJson(text);
  if (depth > mostDepth) {
    const message = `The body nests objects and arrays more than ${mostDepth} levels deep: send a flatter body.`;
    throw invalidRequestError(message, null, "invalid_json");
  }
  if (values > mostValues) {
    const message = `The body has ${values} entries in objects and arrays; the limit is ${mostValues}: send fewer.`;
    throw invalidRequestError(message, null, "invalid_json");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequestError(`The body is not JSON: ${messageOf(error)}.`, null, "invalid_json");
  }
}

/** @throws the limit's ApiError as soon as more bytes have arrived. */
export async function readBytes(request: Request, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBoundedBody(request, limit.bytes);
  if (bytes === null) throw limit.error();
  return bytes;
}
