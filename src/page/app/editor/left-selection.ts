/** The selection of a mod's plain field, which the editor takes over when it replaces the field. */

/** The selection of the plain field that the editor replaces, as offsets in the source. */
export interface FieldSelection {
  readonly mod: string;
  readonly start: number;
  readonly end: number;
}

let left: FieldSelection | null = null;

/** Called when a plain field that has the focus is removed: the editor takes its place. */
export function leaveSelection(selection: FieldSelection): void {
  left = selection;
}

/** The selection that a plain field left. A second call returns null. */
export function takeSelection(): FieldSelection | null {
  const taken = left;
  left = null;
  return taken;
}
