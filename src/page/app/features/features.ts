/** The features of the playground, in the order in which the page shows them. */
import { experimentsFeature } from "../experiments/experiments-feature.ts";
import { liveFeature } from "../live/live-feature.ts";
import { vectorsFeature } from "../vectors/vectors-feature.ts";
import type { PageFeature } from "./page-feature.ts";

export const features: readonly PageFeature[] = [experimentsFeature, vectorsFeature, liveFeature];
