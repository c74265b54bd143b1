/** The panels that explain a run, below its text: their tabs and the palette name them from here. */
export const panels = [
  { id: "step", label: "Step" },
  { id: "layers", label: "Layers" },
  { id: "tracks", label: "Tracks" },
  { id: "charts", label: "Charts" },
  { id: "events", label: "Events" },
  { id: "transcript", label: "Transcript" },
] as const;

export type Panel = (typeof panels)[number]["id"];

/** The panels that need only a record and no model. */
export const panelsOfRecord = panels.filter(({ id }) => id !== "layers");
