/** Reads bodies of requests and responses from others, who may send more than is allowed, or without end. */

/** The body; null if it has more than `mostBytes` bytes. The rest is not read then. */
export async function readBoundedBody(
  message: Request | Response,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = message.body?.getReader();
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    length += piece.value.length;
    if (length > mostBytes) {
      await reader?.cancel();
      return null;
    }
    pieces.push(piece.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The body as JSON; null if it is not JSON, or has more than `mostBytes` bytes. */
export async function readBoundedJson(response: Response, mostBytes: number): Promise<unknown> {
  const bytes = await readBoundedBody(response, mostBytes);
  if (bytes === null) return null;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
