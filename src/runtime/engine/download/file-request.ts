/** Requests a file or a part of it, and reads the file's metadata from the response. */
import { type FileMetadata, unknownMetadata } from "../base/byte-sink.ts";
import { ModelFileError } from "../base/model-file-error.ts";

export interface RequestOptions {
  /** The file's name in messages. */
  readonly file: string;
  /**
   * A text file may be compressed on the way, and so be longer than announced; a binary file must have the announced length.
   */
  readonly kind: "text" | "binary";
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Metadata of the file from a server's list, known before the request. */
  readonly expected?: Partial<FileMetadata> | undefined;
  /** `no-store`: the browser's own cache is not used. It would keep a second copy, and would request other ranges. */
  readonly cache?: "no-store" | undefined;
  /** After this many milliseconds without a byte, a connection counts as broken. */
  readonly stallMs?: number | undefined;
}

/** Long, because a server may first have to fetch the file from another server. */
const usualStallMs = 60_000;

/** The body of a response. */
export interface ResponseBody {
  /** The next piece; null at the end. @throws if the connection breaks or stalls */
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

export interface FileResponse {
  readonly response: Response;
  readonly metadata: FileMetadata;
  readonly body: ResponseBody;
}

/** A range of bytes, `start` and `end` included; an `end` of null is the end of the file. */
export interface AskedRange {
  readonly start: number;
  readonly end: number | null;
}

/**
 * Requests the file, or a part of it. Status 416 (the file is now shorter than `start`) is returned like 206.
 * @throws ModelFileError for every other error status, and for a web page instead of the file; the error of `fetch` if the server
 * cannot be reached or sends nothing for too long
 */
export async function requestFile(
  url: string,
  range: AskedRange | null,
  options: RequestOptions,
): Promise<FileResponse> {
  // Only Range is sent, and the caller compares the ETag, because If-Range would make the browser send a CORS preflight
  // first.
  const headers: Record<string, string> = range ? { Range: `bytes=${range.start}-${range.end ?? ""}` } : {};
  const { signal, withinStallLimit } = createStallLimit(options);
  const response = await withinStallLimit(() =>
    (options.fetch ?? fetch)(url, { headers, signal, cache: options.cache ?? "default" }),
  );
  if (!response.ok && !(range && response.status === 416)) {
    await response.body?.cancel();
    throw refusalError(response, url, options.file);
  }
  if (/\btext\/html\b/.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    throw new ModelFileError(
      `${url} answered with a web page instead of ${options.file}. The address may be wrong or require a login: open it in a tab to see the page.`,
      options.file,
    );
  }
  // The reader is created at its first use, because creating it locks the body.
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const body: ResponseBody = {
    async read() {
      reader ??= response.body?.getReader();
      const piece = await withinStallLimit(async () => reader?.read());
      return piece === undefined || piece.done ? null : piece.value;
    },
    cancel: async () => reader?.cancel(),
  };
  return { response, metadata: fileMetadataOf(response, options), body };
}

/** `withinStallLimit` awaits the network. If the server sends nothing for `stallMs`, `signal` aborts the request, so that the wait ends with an error. */
function createStallLimit({ signal: callerSignal, stallMs = usualStallMs }: RequestOptions) {
  const stalled = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, stalled.signal]) : stalled.signal;
  const withinStallLimit = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const timer = setTimeout(
      () => stalled.abort(new Error(`The server sent nothing for ${stallMs / 1000} s.`)),
      stallMs,
    );
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  };
  return { signal, withinStallLimit };
}

function refusalError(response: Response, url: string, file: string): ModelFileError {
  const { status } = response;
  const waitMs = retryAfterMs(response);
  const wait = waitMs === null ? "a minute" : `${Math.ceil(waitMs / 1000)} s`;
  const reasons: Record<number, string> = {
    401: "The server requires a login, or the model does not exist. Check the id; gated and private models on Hugging Face need an access token.",
    403: "The server refuses access. For a gated or private model, accept its terms and give a Hugging Face access token; otherwise open the address in a tab to see why.",
    404: "The file does not exist. Check the model's id or folder address and its revision.",
    429: `There were too many requests. Wait ${wait} and try again.`,
  };
  const reason =
    reasons[status] ??
    (status >= 500
      ? "The server failed. Try again later."
      : "The server refused the request. Open the address in a tab to see why.");
  const message = `${file} could not be fetched from ${url} (HTTP ${status}). ${reason}`;
  return new ModelFileError(message, file, status, { retryAfterMs: waitMs });
}

/** Retry-After (RFC 9110, 10.2.3) in milliseconds; null if it is absent or hidden from other origins. */
function retryAfterMs({ headers }: Response): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** The metadata of the whole file: from the response, completed by the known metadata. */
export function fileMetadataOf({ headers }: Response, { kind, expected = {} }: RequestOptions): FileMetadata {
  const number = (name: string): number | null => {
    const text = headers.get(name);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
  };
  const etag = headers.get("etag");
  const linkedEtag = /^"([0-9a-f]{64})"$/.exec(headers.get("x-linked-etag") ?? "");
  const isEncoded = headers.get("content-encoding") !== null;
  return {
    ...unknownMetadata,
    // x-linked-size is the header in which the hub gives the size of a large file.
    size: expected.size ?? number("x-linked-size") ?? (isEncoded ? null : number("content-length")),
    etag: kind === "binary" && !isEncoded && etag?.startsWith('"') ? etag : null,
    sha256: expected.sha256 ?? linkedEtag?.[1] ?? null,
  };
}
