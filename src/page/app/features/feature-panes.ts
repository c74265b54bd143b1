/** The panes that features add. */
import { features } from "./features.ts";
import type { FeaturePane } from "./page-feature.ts";

export const featurePanes: readonly FeaturePane[] = features.flatMap(({ pane }) => pane ?? []);
