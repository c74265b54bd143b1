/** Limits of the editor's work by the size of a source: Monaco colours, pairs and draws on the page's own thread. */

/**
 * Characters of a source that has colours, brackets and checks while it is written. A megabyte takes Monaco seconds for
 * them; a gallery mod has 3,000 characters.
 */
export const mostColouredCharacters = 65_536;

/** Lines of a source with colours: Monaco makes an object for each shown line, 200 ms for 200,000 lines. */
export const mostColouredLines = 5_000;

/**
 * Characters of a line that are drawn and coloured; the rest of it stands behind a button. Forty lines of 2,000 Arabic letters
 * take a browser 60 ms to lay out.
 */
export const mostDrawnLineCharacters = 1_000;

export interface SourceSize {
  readonly characters: number;
  readonly lines: number;
}

export function sizeOfSource(source: string): SourceSize {
  let lines = 1;
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) lines += 1;
  return { characters: source.length, lines };
}

/** Whether a source of this size goes without colours, brackets and checks. */
export function isLongSource({ characters, lines }: SourceSize): boolean {
  return characters > mostColouredCharacters || lines > mostColouredLines;
}

/** As much of a source's beginning as would have colours. */
export function colouredBeginningOf(source: string): string {
  let end = -1;
  for (let line = 0; line < mostColouredLines; line += 1) {
    end = source.indexOf("\n", end + 1);
    if (end === -1 || end >= mostColouredCharacters) return source.slice(0, mostColouredCharacters);
  }
  return source.slice(0, end);
}
