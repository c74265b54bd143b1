/** The kinds of links that features add. Separate from `features.ts`, because a link is drawn without the playground's code. */
import { isWatchLink } from "../../live/is-watch-link.ts";
import { watchLinks } from "../live/watch-links.ts";
import type { LinkKind } from "./page-feature.ts";

export const linkKinds: readonly LinkKind[] = [watchLinks];

/** Separate from `linkKinds`, because `main.ts` needs no view: the bundler leaves `linkKinds` out of the page's entry. */
export const isFeatureLink = (fragment: string): boolean => isWatchLink(fragment);
