/**
 * The interface by which a feature registers on the page. The page knows no feature by name: it shows the entries of the lists
 * `features.ts` and `link-kinds.ts`. The code of a feature is loaded on demand, so its registration has lazy parts.
 */
import type { ComponentType } from "react";
import type { StoreApi } from "zustand/vanilla";
import type { PageActions } from "../page-actions.ts";
import type { PlaygroundHandOver } from "../share/hand-over.ts";
import type { AuthorNameState } from "../share/maker-store.ts";
import type { PageStores } from "../store/page-stores.ts";
import type { Stores } from "../store/stores.ts";

export interface PageFeature {
  readonly name: string;
  /** A badge in the bar, before the run controls. Draws nothing while there is nothing to say. */
  readonly Badge?: ComponentType<{ readonly page: PageActions }>;
  /** A tab of the dialog "Share this run", after the first tab. */
  readonly shareWay?: ShareWay;
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
