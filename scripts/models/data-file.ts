/** Writes the external data of a graph tensor by tensor, so that a model need not fit into memory. */
import { closeSync, openSync, writeSync } from "node:fs";

/** The position of a tensor in the file. */
export interface TensorPlace {
  readonly location: string;
  readonly offset: number;
  readonly length: number;
}

export interface TensorDataFile {
  /** Number of bytes so far. */
  readonly length: number;
  /** Appends bytes at the next multiple of 64. */
  append(bytes: Uint8Array): TensorPlace;
  /** May be called twice. */
  close(): void;
}

const alignment = 64;

/** A new file on disk; `location` is the file's name in the graph. */
export function createTensorDataFile(path: string, location: string): TensorDataFile {
  const descriptor = openSync(path, "w");
  let isOpen = true;
  return appending(
    location,
    (bytes, offset) => {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(descriptor, bytes, written, bytes.length - written, offset + written);
      }
    },
    () => {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  );
}

/** A file in memory, for tests; `bytes` returns its contents so far. */
export function createMemoryDataFile(name: string): TensorDataFile & { bytes(): Uint8Array } {
  const parts: { bytes: Uint8Array; offset: number }[] = [];
  const file = appending(
    name,
    (bytes, offset) => parts.push({ bytes: bytes.slice(), offset }),
    () => {},
  );
  return Object.assign(file, {
    bytes() {
      const all = new Uint8Array(file.length);
      for (const { bytes, offset } of parts) all.set(bytes, offset);
      return all;
    },
  });
}

function appending(
  location: string,
  write: (bytes: Uint8Array, offset: number) => void,
  close: () => void,
): TensorDataFile {
  let end = 0;
  return {
    get length() {
      return end;
    },
    close,
    append(bytes) {
      const offset = Math.ceil(end / alignment) * alignment;
      write(bytes, offset);
      end = offset + bytes.length;
      return { location, offset, length: bytes.length };
    },
  };
}
