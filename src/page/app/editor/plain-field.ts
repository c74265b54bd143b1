/** The selection and the source from before the typing, which a mod's plain field leaves to the editor that replaces the field. */

/** The selection, as offsets in the source. */
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

const sourcesBefore = new Map<string, string>();

/** Called with the source of a mod before each change in a plain field. Only the first call for a mod counts. */
export function leaveSourceBefore(mod: string, source: string): void {
  if (!sourcesBefore.has(mod)) sourcesBefore.set(mod, source);
}

/** The source of a mod from before the first change in a plain field. A second call returns undefined. */
export function takeSourceBefore(mod: string): string | undefined {
  const taken = sourcesBefore.get(mod);
  sourcesBefore.delete(mod);
  return taken;
}
