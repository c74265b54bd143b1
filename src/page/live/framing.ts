/**
 * Splits messages into frames of bounded length and joins them again. The first byte of a frame says whether the message
 * continues in the next frame (0) or ends here (1); the rest is a piece of the message's UTF-8.
 */
import { LiveError, liveLimits } from "./limits.ts";

const goesOn = 0;
const ends = 1;
const pieceBytes = liveLimits.frameBytes - 1;

export type Frame = Uint8Array<ArrayBuffer>;

/** @throws LiveError if the message has more bytes than the other end accepts */
export function splitIntoFrames(message: string): readonly Frame[] {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length > liveLimits.messageBytes) throw tooLong(bytes.length, liveLimits.messageBytes);
  const frames: Frame[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += pieceBytes) {
    const piece = bytes.subarray(start, start + pieceBytes);
    const frame = new Uint8Array(1 + piece.length);
    frame[0] = start + pieceBytes < bytes.length ? goesOn : ends;
    frame.set(piece, 1);
    frames.push(frame);
  }
  return frames;
}

const tooLong = (bytes: number, most: number) =>
  new LiveError(`A live message is too large: it has ${bytes} bytes or more, and the limit is ${most}.`);

/**
 * Joins frames into messages. The returned function returns the message that a frame completes, and null for every other frame.
 * It throws LiveError for an invalid frame and for a message of more than `mostBytes`.
 */
export function createFrameJoiner(mostBytes: number): (frame: Uint8Array) => string | null {
  let pieces: Uint8Array[] = [];
  let length = 0;
  return (frame) => {
    const [head] = frame;
    if (frame.length > liveLimits.frameBytes || (head !== goesOn && head !== ends))
      throw new LiveError("The page received data that is not part of a live run.");
    // Frames that are not the last one must be full: pieces of one byte each would take a hundred times their length in memory.
    if (head === goesOn && frame.length < liveLimits.frameBytes)
      throw new LiveError("The page received a part of a live run that is too short.");
    length += frame.length - 1;
    if (length > mostBytes) throw tooLong(length, mostBytes);
    // Copied, because the browser may pass a view of a larger buffer.
    pieces.push(frame.slice(1));
    if (head === goesOn) return null;
    const whole = new Uint8Array(length);
    let next = 0;
    for (const piece of pieces) {
      whole.set(piece, next);
      next += piece.length;
    }
    pieces = [];
    length = 0;
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(whole);
    } catch (cause) {
      throw new LiveError("A live message is not text.", { cause });
    }
  };
}
