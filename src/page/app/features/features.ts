/** The features of the playground, in the order in which the page shows what they add. */
import { liveFeature } from "../live/live-feature.ts";
import type { PageFeature } from "./page-feature.ts";

export const features: readonly PageFeature[] = [liveFeature];
