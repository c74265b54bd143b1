/**
 * Messages ↔ frames of bounded length. A frame is a byte (0: the message goes on in the next one, 1: it ends here) and a piece
 * of the message's UTF-8.
 */
import { LiveError, liveLimits } from "./limits.ts";

const goesOn = 0;
const ends = 1;
const pieceBytes = liveLimits.frameBytes - 1;

export type Frame = Uint8Array<ArrayBuffer>;

/** @throws LiveError for a message of more bytes than the other end takes. */
export function framesOf(message: string): readonly Frame[] {
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
  new LiveError(`A live message has ${bytes} bytes or more; the limit is ${most}.`);

/**
 * Puts frames together again. The returned function answers the message that a frame ends, and null until then.
 * @throws LiveError from it for what is no frame, and for a message of more than `mostBytes`.
 */
export function createUnframing(mostBytes: number): (frame: Uint8Array) => string | null {
  let pieces: Uint8Array[] = [];
  let length = 0;
  return (frame) => {
    const [head] = frame;
    if (frame.length > liveLimits.frameBytes || (head !== goesOn && head !== ends))
      throw new LiveError("The page received data that is not part of a live run.");
    // A byte at a time, each piece would take a hundred times its length.
    if (head === goesOn && frame.length < liveLimits.frameBytes)
      throw new LiveError("The page received a part of a live run that is too short.");
    length += frame.length - 1;
    if (length > mostBytes) throw tooLong(length, mostBytes);
    // Copied: what a browser hands over may be a view of something larger.
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
