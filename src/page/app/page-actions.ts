/** Actions of the whole page, shared by its bar, its keys and its commands. */

declare const paneOfFeature: unique symbol;
/** The id of a pane that a feature adds (`features/page-feature.ts`). */
export type FeaturePaneId = string & { readonly [paneOfFeature]: true };

declare const dialogOfFeature: unique symbol;
/** The id of a dialog that a feature adds. */
export type FeatureDialogId = string & { readonly [dialogOfFeature]: true };

/** The pane over the writing side; on a narrow page, a place of its own. */
export type OverlayPane = "history" | "guide" | FeaturePaneId;

export type PageDialog =
  | "share"
  | "help"
  | "verify"
  | "gallery"
  | "commands"
  | "breakpoints"
  | "workspace"
  | "offline"
  /** The rules of the open mod; new rules if it has none. */
  | "rules"
  | "new-rules"
  | ModVersionsDialog
  | FeatureDialogId;

/** The versions of a mod, by its id. */
export interface ModVersionsDialog {
  readonly versionsOf: string;
}

export type PagePlace = "write" | "run" | "read" | OverlayPane;

export interface PageActions {
  run(): void;
  open(dialog: PageDialog): void;
  show(place: PagePlace): void;
  /** Reads a run from a file. */
  openFile(file: File): void;
  /** Shows the mod in the editor, with the cursor at the line. */
  openLine(mod: string, line: number | null): void;
}
