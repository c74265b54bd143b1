/** One file over HTTP: streamed, cancellable, checked for length, continued where it broke off. */

import { formatBytes } from "../base/number-text.ts";
import { ByteSink } from "./byte-sink.ts";
import { ModelFileError } from "./model-file-error.ts";

export interface DownloadOptions {
  /** Named in messages. */
  readonly file: string;
  /** A text file may come compressed, and then be longer than announced; a binary file must have the announced length. */
  readonly kind: "text" | "binary";
  /** A larger file is refused: before it is read where the server announces its size, else while it is read. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** `totalBytes` is 0 while unknown. Called at most about 200 times, and at the end. */
  readonly onBytes?: ((loadedBytes: number, totalBytes: number) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Pause before the first new attempt, in milliseconds. It doubles after each attempt that brought no byte. */
  readonly retryDelayMs?: number | undefined;
}

/** A download is given up after so many attempts in a row that brought no byte. */
const fruitlessAttempts = 3;
/** A download is given up after so many attempts in all, for connections that break every few bytes. */
const mostAttempts = 50;

/** What is known of the file from the headers of the first answer. */
interface Expected {
  /** Size in bytes; null when the server does not say, or says the compressed size. */
  readonly size: number | null;
  /** Strong validator, without which nothing is continued. */
  readonly etag: string | null;
}

/**
 * Fetches `url` whole.
 * @throws ModelFileError when the file is missing, refused, a web page instead, larger than `maxBytes`, or after all attempts
 * still shorter than announced.
 * @throws the signal's reason when cancelled, also in the middle of the body.
 */
export async function download(url: string, options: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
  let sink = new ByteSink(0);
  let expected: Expected | null = null;
  let furthest = 0;
  let failures = 0;
  for (let attempt = 1; ; attempt++) {
    let cause: unknown = null;
    try {
      const response = await requestFrom(url, sink.length, expected, options);
      if (expected === null || response.status !== 206) {
        expected = expectedOf(response, options);
        sink = createSink(expected, options);
      }
      await readBody(response, sink, expected, options);
      if (isComplete(sink, expected, options)) return sink.bytes();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof ModelFileError) throw error;
      // The connection may break after the last byte of the file: then nothing is missing.
      if (sink.length > 0 && sink.length === expected?.size) return sink.bytes();
      cause = error;
    }
    failures = sink.length > furthest ? 1 : failures + 1;
    furthest = Math.max(furthest, sink.length);
    if (failures >= fruitlessAttempts || attempt >= mostAttempts)
      throw brokenOff(url, sink.length, expected, options, cause);
    await pause((options.retryDelayMs ?? 300) * 2 ** (failures - 1), options.signal);
  }
}

/** The rest of the file from `offset` (status 206), or all of it where it cannot be continued. */
async function requestFrom(
  url: string,
  offset: number,
  expected: Expected | null,
  options: DownloadOptions,
): Promise<Response> {
  if (offset > 0 && expected !== null && expected.etag !== null) {
    const response = await request(url, offset, options);
    if (response.status === 200 || continues(response, offset, expected)) return response;
    await response.body?.cancel();
  }
  return request(url, 0, options);
}

/** Asks for the file from `offset` on and refuses what is no file. */
async function request(url: string, offset: number, options: DownloadOptions): Promise<Response> {
  // Only Range is sent, and `continues` compares the etag: with If-Range too, the browser would first send a CORS preflight.
  const headers: Record<string, string> = offset > 0 ? { Range: `bytes=${offset}-` } : {};
  const response = await (options.fetch ?? fetch)(url, { headers, signal: options.signal ?? null });
  // Status 416: the file on the server has changed and is no longer than `offset`. The caller begins anew.
  if (!response.ok && !(offset > 0 && response.status === 416)) {
    await response.body?.cancel();
    throw refused(response.status, url, options.file);
  }
  if (/\btext\/html\b/.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    throw new ModelFileError(
      `${url} answered with a web page instead of ${options.file}. The address may want a login or be wrong: open it in a tab to see the page.`,
      options.file,
    );
  }
  return response;
}

function refused(status: number, url: string, file: string): ModelFileError {
  const reasons: Record<number, string> = {
    401: "The server wants a login (or there is no such model): gated and private models cannot be used. Check the id.",
    403: "The server refuses it: gated and private models cannot be used. Check the id, or open the address in a tab to see why.",
    404: "There is no such file. Check the model's id or folder address and its revision.",
    429: "The server has had too many requests. Wait a minute and try again.",
  };
  const reason =
    reasons[status] ?? (status >= 500 ? "The server failed. Try again later." : "The server refuses it.");
  return new ModelFileError(
    `${file} could not be fetched from ${url} (HTTP ${status}). ${reason}`,
    file,
    status,
  );
}

function expectedOf(response: Response, { kind }: DownloadOptions): Expected {
  const number = (name: string): number | null => {
    const text = response.headers.get(name);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
  };
  const etag = response.headers.get("etag");
  const isEncoded = response.headers.get("content-encoding") !== null;
  return {
    // x-linked-size is the hub's own word for the size of a large file.
    size: number("x-linked-size") ?? (isEncoded ? null : number("content-length")),
    etag: kind === "binary" && !isEncoded && etag?.startsWith('"') ? etag : null,
  };
}

function createSink(expected: Expected, options: DownloadOptions): ByteSink {
  if ((expected.size ?? 0) > options.maxBytes) throw tooLarge(expected.size ?? 0, options);
  try {
    return new ByteSink(expected.size ?? 0);
  } catch {
    throw outOfMemory(expected.size ?? 0, options);
  }
}

/** The error when the memory for the file is refused. It ends the download, since asking the network again would not help. */
function outOfMemory(size: number, { file }: DownloadOptions): ModelFileError {
  return new ModelFileError(
    `There is not enough memory for ${file} (${formatBytes(size)} or more). Close other tabs or choose a smaller model.`,
    file,
  );
}

function tooLarge(size: number, { file, maxBytes }: DownloadOptions): ModelFileError {
  return new ModelFileError(
    `${file} has ${formatBytes(size)} or more, and at most ${formatBytes(maxBytes)} are read. This is not a file of a model in this layout.`,
    file,
  );
}

/** Whether the response is the rest, from `offset` on, of the file that was begun. */
function continues(response: Response, offset: number, expected: Expected): boolean {
  if (offset === 0 || response.status !== 206 || response.headers.get("etag") !== expected.etag) return false;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  return range !== null && Number(range[1]) === offset && Number(range[2]) === expected.size;
}

async function readBody(
  response: Response,
  sink: ByteSink,
  expected: Expected,
  options: DownloadOptions,
): Promise<void> {
  const total = expected.size ?? 0;
  const stride = Math.max(total / 200, 262_144);
  let reported = sink.length;
  options.onBytes?.(sink.length, total);
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    options.signal?.throwIfAborted();
    if (piece === undefined || piece.done) break;
    const wanted = sink.length + piece.value.length;
    if (wanted > options.maxBytes) {
      await reader?.cancel();
      throw tooLarge(wanted, options);
    }
    try {
      sink.append(piece.value);
    } catch {
      await reader?.cancel();
      throw outOfMemory(wanted, options);
    }
    if (sink.length - reported < stride) continue;
    reported = sink.length;
    options.onBytes?.(sink.length, total);
  }
  options.onBytes?.(sink.length, total);
}

/**
 * Whether the file is complete. More bytes than announced mean that it came compressed; the browser has then checked its
 * length.
 */
function isComplete(sink: ByteSink, { size }: Expected, { kind }: DownloadOptions): boolean {
  return size === null || sink.length >= size || kind === "text";
}

function brokenOff(
  url: string,
  got: number,
  expected: Expected | null,
  { file }: DownloadOptions,
  cause: unknown,
): ModelFileError {
  const { host } = new URL(url);
  const message =
    expected === null
      ? `${file} could not be fetched: ${host} cannot be reached, or does not let other pages read it (CORS). Check the address and the connection, and try again.`
      : `${file} broke off: got ${got} of ${expected?.size ?? "an unknown number of"} bytes from ${host}. Check the connection and try again.`;
  return new ModelFileError(message, file, null, { cause });
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
