/** The panels that explain a run, below its text: their tabs, on the page and in `<token-timeline>`. */
export const runPanels = [
  { id: "step", label: "Step" },
  { id: "tracks", label: "Tracks" },
  { id: "charts", label: "Charts" },
  { id: "events", label: "Events" },
  { id: "transcript", label: "Transcript" },
] as const;

export type RunPanel = (typeof runPanels)[number]["id"];
