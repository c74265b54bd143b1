/** How a timeline is drawn, as attributes and properties say it. */

/** `text`: the text with its marks. `full`: with the overview above it and the panels that explain it below. */
export const timelineViews = ["text", "full"] as const;
export type TimelineView = (typeof timelineViews)[number];

/** `auto`: light or dark as the page around it is, by its CSS property `color-scheme`. */
export const timelineThemes = ["auto", "light", "dark"] as const;
export type TimelineTheme = (typeof timelineThemes)[number];

/** The panels of the full view. */
export const timelinePanels = [
  { id: "step", label: "Step" },
  { id: "tracks", label: "Tracks" },
  { id: "charts", label: "Charts" },
  { id: "events", label: "Events" },
  { id: "transcript", label: "Transcript" },
] as const;
export type TimelinePanel = (typeof timelinePanels)[number]["id"];

export interface TimelineOptions {
  readonly view: TimelineView;
  readonly panel: TimelinePanel;
  /** Words are shaded by how little the model expected them. */
  readonly shade: boolean;
  /** What was removed is folded away. */
  readonly fold: boolean;
}

/** One of the names, or the first of them: as HTML reads attributes, a word that it does not know is as none. */
export function namedOr<Name extends string>(names: readonly [Name, ...Name[]], text: string | null): Name {
  return names.find((name) => name === text) ?? names[0];
}

export const panelNames: readonly ["step", ...TimelinePanel[]] = [
  "step",
  "tracks",
  "charts",
  "events",
  "transcript",
];
