/**
 * When the editor may be fetched. It is large, and on a machine of few cores it would take the time in which the model
 * is made ready; until then the mod stands there as plain text.
 */
let open: () => void = () => {};
const turn = new Promise<void>((resolve) => {
  open = resolve;
});

/** Resolves once the editor may come. */
export function editorTurn(): Promise<void> {
  return turn;
}

/** The model is ready, or someone reaches for the mod's text: let it come. */
export function letEditorCome(): void {
  open();
}
