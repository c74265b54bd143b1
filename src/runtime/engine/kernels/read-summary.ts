/** Reads the kernels' result buffer. Pure. */
import type { LogitsSummary, PieceSums } from "../../../core/decoder/ports/device-logits.ts";
import {
  headerWords,
  mostListed,
  type SummaryLayout,
  tokensPerPiece,
  wordsPerPiece,
} from "./summary-layout.ts";

/** `words`: the result of one row, `(stride)`. Null if too many tokens reach the threshold. */
export function readLogitsSummary(
  words: Uint32Array,
  { vocabularySize, pieces: count }: SummaryLayout,
  temperature: number,
): LogitsSummary | null {
  const listed = words[0] as number;
  if (listed > mostListed) return null;
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  const pieces: PieceSums[] = [];
  let finite = 0;
  let broken = 0;
  for (let piece = 0; piece < count; piece++) {
    const at = headerWords + piece * wordsPerPiece;
    const [largest = 0, weight = 0, weighted = 0, scaled = 0] = floats.subarray(at, at + 4);
    pieces.push({ largest, weight, weighted, scaled });
    finite += words[at + 4] as number;
    broken += words[at + 5] as number;
  }
  const list = headerWords + count * wordsPerPiece;
  const places = Array.from({ length: listed }, (_, place) => list + 2 * place);
  // The device lists tokens in no particular order.
  places.sort(
    (a, b) =>
      (floats[b + 1] as number) - (floats[a + 1] as number) || (words[a] as number) - (words[b] as number),
  );
  return {
    vocabularySize,
    tokens: Int32Array.from(places, (place) => words[place] as number),
    logits: Float32Array.from(places, (place) => floats[place + 1] as number),
    isComplete: listed === finite,
    isBroken: broken > 0,
    pieceTokens: tokensPerPiece,
    pieces,
    temperature,
  };
}
