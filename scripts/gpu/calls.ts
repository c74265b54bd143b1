/** Divides packed files into calls: a call carries the working tree and at most a fixed number of bytes in total. */

export const mebibyte = 2 ** 20;
/** Most bytes of one call, the working tree included. */
export const maxCallBytes = 64 * mebibyte;
/** Most bytes of packed files in one call, even if the tree is small: the tree may grow between packing and running. */
export const maxPackedBytes = 46 * mebibyte;
/** Reserved for file names and archive headers. */
const margin = 2 * mebibyte;
const leastRoom = 8 * mebibyte;

export interface ArchivePiece {
  /** A group's archive is complete when all of its pieces have arrived. */
  readonly group: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Bytes of packed files that fit into a call together with the tree. @throws Error if almost nothing fits */
export function packedBytesPerCall(treeBytes: number, limit = maxCallBytes): number {
  const room = Math.min(maxPackedBytes, limit - treeBytes - margin);
  if (room >= leastRoom) return room;
  const sizes = [treeBytes, limit].map((bytes) => (bytes / mebibyte).toFixed(1));
  throw new Error(
    `The working tree has ${sizes[0]} MiB, and a call carries ${sizes[1]} MiB: ${leastRoom / mebibyte} MiB have to stay for packed files. Remove large files that git does not ignore.`,
  );
}

/** Distributes the pieces over calls, in their order. @throws Error if a piece is larger than a call */
export function distributePiecesOverCalls(pieces: readonly ArchivePiece[], room: number): ArchivePiece[][] {
  const calls: ArchivePiece[][] = [];
  let left = 0;
  for (const piece of pieces) {
    if (piece.bytes > room)
      throw new Error(`${piece.name} has ${piece.bytes} bytes, and a call has room for ${room}.`);
    if (piece.bytes > left) {
      calls.push([]);
      left = room;
    }
    calls.at(-1)?.push(piece);
    left -= piece.bytes;
  }
  return calls;
}

/** One line for each piece, as unpack.sh reads it: group, file, SHA-256, bytes. */
export function manifestText(pieces: readonly ArchivePiece[]): string {
  return pieces.map(({ group, name, sha256, bytes }) => `${group} ${name} ${sha256} ${bytes}\n`).join("");
}
