/** A key of the page: its action, and its description in the list of keys. */
import type { StoreApi } from "zustand/vanilla";
import type { TextMoveRow } from "../../view/timeline/ribbon/text-moves.ts";
import type { keyGroups } from "./key-groups.ts";
import type { FeatureDialogId, FeaturePaneId } from "./page-actions.ts";
import type { CompareState } from "./store/compare-state.ts";
import type { RunState } from "./store/run-store.ts";
import type { SettingsState } from "./store/settings-store.ts";

export interface KeyActions {
  readonly run?: () => void;
  readonly help: () => void;
  readonly share: () => void;
  readonly history?: () => void;
  readonly breakpoints?: () => void;
  readonly guide?: () => void;
  readonly togglePane?: (pane: FeaturePaneId) => void;
  readonly openDialog?: (dialog: FeatureDialogId) => void;
  /** Opens the list of commands. */
  readonly commands?: () => void;
}

export interface KeyStores {
  readonly compare?: StoreApi<CompareState>;
  readonly run: StoreApi<RunState>;
  readonly settings: StoreApi<SettingsState>;
}

export interface KeyPressContext extends KeyStores {
  /** Named as `KeyboardEvent.key` names it. */
  readonly key: string;
  readonly actions: KeyActions;
}

/** A key that the page listens to. */
export interface KeyBinding {
  /** Named as `KeyboardEvent.key` names them. */
  readonly keys: readonly string[];
  /** Together with Ctrl, or ⌘ on a Mac. */
  readonly withCtrl?: true;
  /** The key also counts while the user types in a field. */
  readonly whileTyping?: true;
  /** The help can switch this key off, for users who speak to their computer. */
  readonly isLetter?: true;
  /** Does the action. Returns whether there was anything to do. */
  readonly act: (pressed: KeyPressContext) => boolean;
}

/** For a key with a single action of the page, if the page has that action. */
export const actOfPageAction =
  (name: Exclude<keyof KeyActions, "togglePane" | "openDialog">): KeyBinding["act"] =>
  ({ actions }) => {
    actions[name]?.();
    return actions[name] !== undefined;
  };

/** A row of the list of keys. Without `act`, something other than the page listens to the key. */
export interface KeyRow extends Omit<KeyBinding, "act">, Partial<Pick<KeyBinding, "act">> {
  readonly group: (typeof keyGroups)[number];
  /** Whether the key works only in the playground, where runs are made. */
  readonly inPlayground?: true;
  /** Whether the key has no use in a file that shows its run. */
  readonly notInFile?: true;
  readonly withShift?: true;
  readonly withAlt?: true;
  readonly does: string;
  /** For a key to which the text itself listens: where the key moves the selection. */
  readonly moves?: TextMoveRow["moves"];
}
