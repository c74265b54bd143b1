/** A line of a mod's source that the editor is asked to show. */
export interface SourcePlace {
  readonly mod: string;
  readonly line: number;
  /** Makes two wishes for the same line different. */
  readonly wish: number;
}
