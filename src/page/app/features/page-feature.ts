/**
 * The interface by which a feature registers on the page. The page knows no feature by name: it shows the entries of the lists
 * `features.ts` and `link-kinds.ts`. The code of a feature is loaded on demand, so its registration has lazy parts.
 */
import type { ComponentType, ReactNode } from "react";
import type { StoreApi } from "zustand/vanilla";
import type { IconName } from "../../../view/ui/icon.tsx";
import type { FeatureDialogId, FeaturePaneId, PageActions } from "../page-actions.ts";
import type { UngroupedCommand } from "../palette/command.ts";
import type { PlaygroundHandOver } from "../share/hand-over.ts";
import type { AuthorNameState } from "../share/maker-store.ts";
import type { PageStores } from "../store/page-stores.ts";
import type { Stores } from "../store/stores.ts";
import type { WorkspacePart } from "../workspace/workspace-part.ts";

export interface PageFeature {
  readonly name: string;
  /** Called once, when the playground is first shown. */
  readonly start?: (stores: Stores, showPane: (pane: FeaturePaneId) => void) => void;
  readonly pane?: FeaturePane;
  readonly dialog?: FeatureDialog;
  /** Commands of the palette, for the present state of the page. */
  readonly commands?: (stores: Stores, page: PageActions) => readonly FeatureCommand[];
  /** Entries in the menu of each mod, before "Delete". */
  readonly modMenu?: readonly ModMenuEntry[];
  /** Buttons beside the panels of a run with mods that this browser made. */
  readonly RunButtons?: ComponentType<{
    readonly page: PageActions;
    /** True while the run goes on: the buttons keep their place. */
    readonly disabled: boolean;
  }>;
  /** A badge in the bar, before the run controls. Draws nothing while there is nothing to say. */
  readonly Badge?: ComponentType<{ readonly page: PageActions }>;
  /** A tab of the dialog "Share this run", after the first tab. */
  readonly shareWay?: ShareWay;
  /** Loads the code by which the workspace file contains the feature's entries. */
  readonly loadWorkspacePart?: () => Promise<WorkspacePart>;
}

/**
 * A pane over the writing side of a wide page, with its button in the bar; on a narrow page, a place of its own. Buttons and places
 * stand after History.
 */
export interface FeaturePane {
  readonly id: FeaturePaneId;
  readonly label: string;
  readonly icon: IconName;
  readonly key: FeatureKey;
  readonly Pane: ComponentType<{
    /** Called when a run is drawn as the run of the page. */
    readonly onOpened: () => void;
    /** Absent if the pane is a place of its own. */
    readonly onClose?: (() => void) | undefined;
  }>;
}

/** A dialog, with its button beside the list of mods. */
export interface FeatureDialog {
  readonly id: FeatureDialogId;
  readonly title: string;
  readonly icon: IconName;
  readonly key: FeatureKey;
  readonly Dialog: ComponentType<{
    readonly actions: PageActions;
    readonly onClose: () => void;
    /** Wraps the message if the code cannot be loaded. */
    readonly within?: (fault: ReactNode) => ReactNode;
  }>;
}

/** The key that opens a dialog, or opens and closes a pane. */
export interface FeatureKey {
  /** A single letter, as `KeyboardEvent.key` names it. */
  readonly letter: string;
  /** The purpose, in the list of keys. */
  readonly does: string;
}

export interface FeatureCommand extends Omit<UngroupedCommand, "keys"> {
  /** Id of the page's own command after which this command stands, in the same group. */
  readonly after: string;
  /** The letter with the same action. */
  readonly letter?: string;
}

export interface ModMenuEntry {
  readonly label: string;
  /** @param mod the id of the mod. */
  act(stores: Stores, page: PageActions, mod: string): void;
}

export interface ShareWay {
  readonly id: string;
  readonly label: string;
  readonly Panel: ComponentType<{ readonly maker: StoreApi<AuthorNameState> }>;
  /** Whether the user shares this way now: the dialog then begins with this tab. */
  isOn(stores: Stores): boolean;
}

/** A link that a feature shows, in place of the playground. */
export interface LinkKind {
  /** `fragment`: of the address, with its `#`. */
  isLink(fragment: string): boolean;
  /** The options of `lazyPart`. */
  readonly view: {
    readonly part: string;
    readonly load: () => Promise<{ readonly LinkView: ComponentType<LinkViewProps> }>;
    readonly component: "LinkView";
  };
}

export interface LinkViewProps {
  readonly page: PageStores;
  /** The fragment of the address, with its `#`. */
  readonly hash: string;
  /** Goes to the playground. */
  readonly leave: (handed: PlaygroundHandOver) => void;
}
