/** How a timeline is drawn: the values of attributes and properties. */
import { runPanels } from "../../view/timeline/run-panels.ts";

/** `text`: the text with its marks. `full`: also the overview above it and the panels with explanations below it. */
export type TimelineView = "text" | "full";
export const timelineViews: readonly [TimelineView, TimelineView] = ["text", "full"];

/** `auto`: light or dark like the surrounding page, by the CSS property `color-scheme`. */
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
  /** Whether words are shaded by how little the model expected them. */
  readonly shade: boolean;
  /** Whether removed text is folded away. */
  readonly fold: boolean;
}

/**
 * The attribute's value if it is one of the names, otherwise the first name. As in HTML, an unknown value counts as missing.
 */
export function nameOrDefault<Name extends string>(
  names: readonly [Name, ...Name[]],
  text: string | null,
): Name {
  return names.find((name) => name === text) ?? names[0];
}

/** All values of the attribute `panel`; the first is the default. */
export const panelNames: readonly [TimelinePanel, ...TimelinePanel[]] = [
  "step",
  ...runPanels.map(({ id }) => id),
];
