/** A line of a mod's source that the editor is asked to show. */
export interface SourcePlace {
  readonly mod: string;
  readonly line: number;
  /** A new number for each request to show a line, so that a second request for the same line is not taken for the first. */
  readonly wish: number;
}
