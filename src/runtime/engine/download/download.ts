/**
 * Downloads one file over HTTP: streamed, cancellable, with a check of its length. A later session can resume a download
 * that was interrupted.
 */

import { readBoundedBody } from "../../../core/base/bounded-body.ts";
import { formatBytes } from "../../../core/base/number-text.ts";
import { ByteSink, type DownloadSink, type FileMetadata } from "../base/byte-sink.ts";
import { delay } from "../base/delay.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import { type FileResponse, type RequestOptions, requestFile } from "./file-request.ts";
import { type CheckHead, FileHeadChecker } from "./head-check.ts";

export interface DownloadOptions extends RequestOptions {
  /**
   * The most bytes of a file. A larger file is refused before it is read if the server announces its size, else while it is
   * read.
   */
  readonly maxBytes: number;
  /**
   * `totalBytes` is 0 while unknown. Called at the beginning and the end of each attempt, and meanwhile after each 200th of the
   * file, or after each 256 KiB if that is more or the size is unknown.
   */
  readonly onBytes?: ((loadedBytes: number, totalBytes: number) => void) | undefined;
  /** Pause before the first new attempt, in milliseconds. It doubles after each attempt that brought no byte. */
  readonly retryDelayMs?: number | undefined;
  /** Checks the beginning of a file before the rest is downloaded. If it throws, the download ends; the received bytes stay. */
  readonly checkHead?: CheckHead | undefined;
}

/** A download fails after this many attempts in a row without a new byte. */
const fruitlessAttempts = 3;
/** A download fails after this many attempts in all, for connections that break every few bytes. */
const mostAttempts = 50;
/**
 * If a server asks to wait longer than this, in milliseconds, the download fails, and the user decides when to try again.
 */
const longestWaitMs = 60_000;

/**
 * Downloads `url` into memory.
 * @throws as `downloadInto` does
 */
export async function download(url: string, options: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const sink = new ByteSink();
  await downloadInto(url, sink, options);
  return sink.bytes();
}

/**
 * Downloads the part of `url` that `sink` does not have yet. Received bytes stay in the sink, even if the download fails.
 * @throws ModelFileError if the file is missing, refused or larger than `maxBytes`, if a web page came instead, or if the
 * file is still shorter than announced after all attempts.
 * @throws the signal's reason when cancelled, also in the middle of the body, and any error of the sink.
 */
export async function downloadInto(url: string, sink: DownloadSink, options: DownloadOptions): Promise<void> {
  const head = options.checkHead ? new FileHeadChecker(options.checkHead) : null;
  let furthest = sink.length;
  let failures = 0;
  for (let attempt = 1; !isWhole(sink); attempt++) {
    let cause: unknown = null;
    let waitMs = 0;
    try {
      const answer = await requestRest(url, sink, options);
      if (!answer.continues) await begin(answer.metadata, sink, options);
      await readBody(answer, sink, options, head);
      if (isComplete(sink, options)) return;
    } catch (error) {
      options.signal?.throwIfAborted();
      // The connection may break after the last byte of the file: then the file is complete.
      if (isWhole(sink)) return;
      if (error instanceof BusyError) waitMs = error.waitMs;
      else if (!(error instanceof BrokenError)) throw error;
      cause = error.cause;
    }
    failures = sink.length > furthest ? 1 : failures + 1;
    furthest = Math.max(furthest, sink.length);
    if (failures >= fruitlessAttempts || attempt >= mostAttempts || waitMs > longestWaitMs) {
      throw cause instanceof ModelFileError ? cause : brokenOff(url, sink, options, cause);
    }
    await delay(Math.max((options.retryDelayMs ?? 300) * 2 ** (failures - 1), waitMs), options.signal);
  }
}

/** The connection broke: the received bytes stay, and the rest is requested again. */
class BrokenError extends Error {}

/** The server asked to try again later. */
class BusyError extends Error {
  constructor(
    readonly waitMs: number,
    cause: ModelFileError,
  ) {
    super(cause.message, { cause });
  }
}

const isWhole = ({ length, metadata }: DownloadSink): boolean => length > 0 && length === metadata?.size;

/** Requests the rest of the file, or the whole file if it cannot be resumed. */
async function requestRest(
  url: string,
  sink: DownloadSink,
  options: DownloadOptions,
): Promise<FileResponse & { readonly continues: boolean }> {
  const { metadata, length } = sink;
  try {
    if (length > 0 && metadata !== null && canContinue(metadata)) {
      const answer = await requestFile(url, { start: length, end: null }, options);
      if (answer.response.status === 200) return { ...answer, continues: false };
      if (isRestOf(answer, metadata, length)) return { ...answer, metadata, continues: true };
      await answer.response.body?.cancel();
    }
    return { ...(await requestFile(url, null, options)), continues: false };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof ModelFileError)) throw new BrokenError("", { cause: error });
    const isBusy = error.status === 429 || (error.status ?? 0) >= 500;
    throw isBusy ? new BusyError(error.retryAfterMs ?? 0, error) : error;
  }
}

/** If a hash can check the whole file, resuming needs no ETag. */
const canContinue = ({ etag, sha256, size }: FileMetadata): boolean =>
  size !== null && (etag !== null || sha256 !== null);

function isRestOf({ response, metadata }: FileResponse, begun: FileMetadata, offset: number): boolean {
  if (response.status !== 206 || (begun.sha256 === null && metadata.etag !== begun.etag)) return false;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  return range !== null && Number(range[1]) === offset && Number(range[2]) === begun.size;
}

async function begin(metadata: FileMetadata, sink: DownloadSink, options: DownloadOptions): Promise<void> {
  if ((metadata.size ?? 0) > options.maxBytes) throw tooLarge(metadata.size ?? 0, options);
  try {
    await sink.begin(metadata);
  } catch (error) {
    throw error instanceof RangeError ? outOfMemory(metadata.size ?? 0, options) : error;
  }
}

/** The error if memory for the file is refused. It ends the download, because another attempt would fail too. */
function outOfMemory(size: number, { file }: DownloadOptions): ModelFileError {
  return new ModelFileError(
    `There is not enough memory for ${file}, which needs at least ${formatBytes(size)}. Close other tabs or choose a smaller model.`,
    file,
  );
}

function tooLarge(size: number, { file, maxBytes }: DownloadOptions): ModelFileError {
  return new ModelFileError(
    `${file} is ${formatBytes(size)} or larger, but the limit for such a file is ${formatBytes(maxBytes)}. Check that the address is that of a folder with a model in ONNX format.`,
    file,
  );
}

async function readBody(
  { body }: FileResponse,
  sink: DownloadSink,
  options: DownloadOptions,
  head: FileHeadChecker | null,
): Promise<void> {
  const total = sink.metadata?.size ?? 0;
  const stride = Math.max(total / 200, 262_144);
  let reported = sink.length;
  options.onBytes?.(sink.length, total);
  for (;;) {
    const piece = await body.read().catch((cause: unknown) => {
      throw new BrokenError("", { cause });
    });
    options.signal?.throwIfAborted();
    if (piece === null) break;
    const start = sink.length;
    const wanted = start + piece.length;
    try {
      if (wanted > options.maxBytes) throw tooLarge(wanted, options);
      await sink.append(piece);
      head?.see(start, piece);
    } catch (error) {
      await body.cancel();
      throw error instanceof RangeError ? outOfMemory(wanted, options) : error;
    }
    if (sink.length - reported < stride) continue;
    reported = sink.length;
    options.onBytes?.(sink.length, total);
  }
  options.onBytes?.(sink.length, total);
}

/**
 * Whether the file is complete. If more bytes came than announced, the file was compressed, and the browser has checked its
 * length.
 */
function isComplete({ metadata, length }: DownloadSink, { kind }: DownloadOptions): boolean {
  const size = metadata?.size ?? null;
  return size === null || length >= size || kind === "text";
}

function brokenOff(
  url: string,
  { metadata, length }: DownloadSink,
  { file }: DownloadOptions,
  cause: unknown,
): ModelFileError {
  const { host } = new URL(url);
  const message =
    metadata === null
      ? `${file} could not be fetched: ${host} cannot be reached, or does not let other pages read it (CORS). Check the address and the connection, and try again.`
      : `The download of ${file} broke off after ${length} of ${metadata.size ?? "an unknown number of"} bytes from ${host}. Check the connection and try again.`;
  return new ModelFileError(message, file, null, { cause });
}

/**
 * Fetches a part of a file with known metadata.
 * @param start first byte @param end last byte
 * @throws ModelFileError if the server does not send exactly this part; the signal's reason when cancelled.
 */
export async function downloadChunk(
  url: string,
  start: number,
  end: number,
  options: Omit<DownloadOptions, "maxBytes" | "onBytes" | "checkHead">,
): Promise<Uint8Array<ArrayBuffer>> {
  const size = end - start + 1;
  for (let attempt = 1; ; attempt++) {
    try {
      const { response } = await requestFile(url, { start, end }, options);
      const bytes = await readBoundedBody(response, size);
      if (response.status === 206 && bytes?.length === size) return bytes;
      throw new ModelFileError(
        `Bytes ${start} to ${end} of ${options.file} could not be fetched separately from ${url}. Delete the saved files of this model and load it again.`,
        options.file,
      );
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof ModelFileError || attempt >= fruitlessAttempts) throw error;
    }
    await delay((options.retryDelayMs ?? 300) * 2 ** (attempt - 1), options.signal);
  }
}
