/** Opens files of models as the engine's worker does: from the browser's own store, or through it from the network. */
import { createUrlSource } from "../../../src/runtime/engine/files/url-source.ts";
import { createStreamingSha256 } from "../../../src/runtime/engine/storage/streaming-sha256.ts";

export interface OpenCommand {
  readonly id: number;
  readonly url: string;
  readonly file: string;
  /** The download is cancelled once so many bytes are there. */
  readonly cancelAtBytes?: number | undefined;
  readonly stallMs?: number | undefined;
}

export interface Opened {
  readonly id: number;
  /** SHA-256 of the whole file, in hex digits; null if the file could not be opened. */
  readonly sha256: string | null;
  readonly error: string | null;
  readonly notices: readonly string[];
  /** Reports of a download, its first byte's and last byte's included. */
  readonly reports: number;
}

async function open({ id, url, file, cancelAtBytes, stallMs }: OpenCommand): Promise<Opened> {
  const notices: string[] = [];
  let reports = 0;
  const cancelling = new AbortController();
  const source = createUrlSource(url, { onNotice: (notice) => notices.push(notice), retryDelayMs: 10 });
  try {
    const content = await source.open(file, {
      kind: "binary",
      maxBytes: 1e9,
      stallMs,
      signal: cancelling.signal,
      onProgress: ({ loadedBytes, fromCache }) => {
        if (!fromCache) reports += 1;
        if (loadedBytes >= (cancelAtBytes ?? Number.POSITIVE_INFINITY)) cancelling.abort();
      },
    });
    const hash = await createStreamingSha256();
    for await (const piece of content.stream()) hash.update(piece);
    return { id, sha256: hash.digest(), error: null, notices, reports };
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    return { id, sha256: null, error, notices, reports };
  }
}

self.onmessage = async ({ data }: MessageEvent<OpenCommand>) => self.postMessage(await open(data));
