/**
 * Decides when the editor is fetched. The editor is large, and on a machine of few cores its start would slow down the
 * model's. Until `allowEditorToLoad` is called, a plain field shows the mod.
 */
let open: () => void = () => {};
const turn = new Promise<void>((resolve) => {
  open = resolve;
});

/** Resolves once `allowEditorToLoad` has been called. */
export function waitToLoadEditor(): Promise<void> {
  return turn;
}

/** Called when the model is ready, or when the user reaches for the text of a mod. */
export function allowEditorToLoad(): void {
  open();
}
