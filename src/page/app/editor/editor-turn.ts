/**
 * Decides when the editor is fetched. The editor is large, and on a machine of few cores its start would slow down the
 * model's. Until `allowEditorToLoad` is called, a plain field shows the mod.
 */
let open: () => void = () => {};
const turn = new Promise<void>((resolve) => {
  open = resolve;
});

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

/** Resolves once `allowEditorToLoad` has been called. */
export function waitToLoadEditor(): Promise<void> {
  return turn;
}

/** Called when the model is ready, or when the user reaches for the text of a mod. */
export function allowEditorToLoad(): void {
  open();
}
