/** Lays out the words of a run on its card: a picture of fixed width whose height follows the text, up to a limit. Pure. */
import type { TranscriptPart } from "../../../core/trace/model/transcript.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";

export interface ShareCardWord {
  readonly text: string;
  readonly standing: TranscriptPart["standing"];
  /** Whether mods steered the model while it chose the word. */
  readonly isSteered: boolean;
  /** Px from the left edge of the text, and number of the line, from 0. */
  readonly x: number;
  readonly line: number;
  readonly width: number;
}

export interface ShareCardLayout {
  readonly words: readonly ShareCardWord[];
  readonly lines: number;
  /** True if the text did not fit. */
  readonly isCut: boolean;
}

interface CardRoom {
  /** Px. */
  readonly width: number;
  readonly lines: number;
}

/** The most UTF-16 units of a word on one line. */
const longestWord = 60;

/** @param measure returns the width of a text in the card's font, in px. */
export function layOutShareCard(
  parts: readonly Pick<TranscriptPart, "standing" | "text" | "steered">[],
  room: CardRoom,
  measure: (text: string) => number,
): ShareCardLayout {
  const words: ShareCardWord[] = [];
  let x = 0;
  let line = 0;
  for (const { standing, text, steered } of parts) {
    if (standing === "end") continue;
    for (const piece of piecesOf(text)) {
      if (piece === "\n") {
        x = 0;
        line += 1;
        continue;
      }
      const shown = showInvisibleCharacters(piece, longestWord + 1);
      // The space after a word may hang over the edge.
      if (x > 0 && x + measure(shown.trimEnd()) > room.width) {
        x = 0;
        line += 1;
      }
      if (line >= room.lines) return { words, lines: room.lines, isCut: true };
      const width = measure(shown);
      if (x > 0 || shown.trim() !== "") {
        words.push({ text: shown, standing, isSteered: steered !== null, x, line, width });
        x += width;
      }
    }
  }
  return { words, lines: Math.min(line + 1, room.lines), isCut: line >= room.lines };
}

/**
 * Splits a text into line breaks and words with the space after them. A word that is too long for a line becomes several
 * pieces.
 */
function piecesOf(text: string): readonly string[] {
  return text.match(new RegExp(`\\n|[^\\S\\n]*[^\\s]{1,${longestWord}}[^\\S\\n]?|[^\\S\\n]+`, "gu")) ?? [];
}
