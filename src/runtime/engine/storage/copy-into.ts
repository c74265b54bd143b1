/** Copies bytes that are already on this machine into the store. */
import { unknownMetadata } from "../base/byte-sink.ts";
import { BlockSink } from "./block-sink.ts";
import type { CachedFile } from "./cached-file.ts";

/** The stored file; null if it did not fit, and then no part of it is stored. @throws the signal's reason */
export async function copyIntoCachedFile(
  file: CachedFile,
  content: Blob,
  blockBytes: number,
  signal: AbortSignal | undefined,
): Promise<Blob | null> {
  let isStored = true;
  const sink = await BlockSink.resume(file, {
    blockBytes,
    onFull: () => {
      isStored = false;
    },
  });
  await sink.begin({ ...unknownMetadata, size: content.size });
  const reader = content.stream().getReader();
  for (let piece = await reader.read(); isStored && !piece.done; piece = await reader.read()) {
    signal?.throwIfAborted();
    await sink.append(piece.value);
  }
  const whole = isStored ? await sink.finish(sink.digest()) : null;
  await reader.cancel();
  if (isStored) return whole;
  await file.remove();
  return null;
}
