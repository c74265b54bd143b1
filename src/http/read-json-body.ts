/** The body of a request as JSON, of a bounded size. */

import { ApiError, invalidRequest } from "../api/api-error.ts";
import { messageOf } from "../base/message-of.ts";

/** @throws ApiError: 415 for a body that does not say it is JSON, 413 for one of more than `most` bytes, 400 for one that is no JSON. */
export async function readJsonBody(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "none";
  // A page of another site cannot send JSON without asking first; a form or a plain text it can.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ApiError(`The request's content-type is ${type}: send JSON as application/json.`, {
      ...{ status: 415, type: "invalid_request_error", code: "unsupported_media_type" },
    });
  }
  const text = new TextDecoder().decode(await readBytes(request, most));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is no JSON: ${messageOf(error)}.`, null, "invalid_json");
  }
}

/** @throws ApiError, 413, for more than `most` bytes. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > most) {
      await reader?.cancel();
      throw new ApiError(`The body has more than ${most} bytes: send less.`, {
        ...{ status: 413, type: "invalid_request_error", code: "body_too_large" },
      });
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
