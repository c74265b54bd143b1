/** How a timeline is drawn, as attributes and properties say it. */
import { runPanels } from "../../view/timeline/run-panels.ts";

/** `text`: the text with its marks. `full`: with the overview above it and the panels that explain it below. */
export type TimelineView = "text" | "full";
export const timelineViews: readonly [TimelineView, TimelineView] = ["text", "full"];

/** `auto`: light or dark as the page around it is, by its CSS property `color-scheme`. */
export type TimelineTheme = "auto" | "light" | "dark";
export const timelineThemes: readonly [TimelineTheme, TimelineTheme, TimelineTheme] = [
  "auto",
  "light",
  "dark",
];

/** The panels of the full view. */
export type TimelinePanel = "step" | "tracks" | "charts" | "events" | "transcript";

export interface TimelineOptions {
  readonly view: TimelineView;
  readonly panel: TimelinePanel;
  /** Words are shaded by how little the model expected them. */
  readonly shade: boolean;
  /** Whether removed text is folded away. */
  readonly fold: boolean;
}

/**
 * The attribute's value if it is one of the names, otherwise the first name: as HTML attributes do, an unknown value counts as
 * missing.
 */
export function namedOr<Name extends string>(names: readonly [Name, ...Name[]], text: string | null): Name {
  return names.find((name) => name === text) ?? names[0];
}

/** An attribute's panel: one of these, or the first. */
export const panelNames: readonly [TimelinePanel, ...TimelinePanel[]] = [
  "step",
  ...runPanels.map(({ id }) => id),
];
