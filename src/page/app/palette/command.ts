/** A command of the page: what the palette lists and does. */

/** In the order in which the palette shows them. */
export const commandGroups = [
  "Go to",
  "Run",
  "View",
  "Page",
  "Mods",
  "Model",
  "Saved runs",
  "Guide",
  "Gallery",
] as const;

export type CommandGroup = (typeof commandGroups)[number];

export interface Command {
  /** One of its kind: two commands may have the same title, two runs of one prompt for example. */
  readonly id: string;
  readonly group: CommandGroup;
  readonly title: string;
  /** Stands beside the title, smaller. */
  readonly about?: string;
  /** Further words by which it is found. */
  readonly words?: string;
  /** The key that does the same, as the list of keys names it. */
  readonly keys?: string;
  /** Why it cannot be done now; the palette shows it and does nothing. */
  readonly disabled?: string;
  readonly act: () => void;
}

/** A command before it is known under which heading it stands. */
export type UngroupedCommand = Omit<Command, "group">;
