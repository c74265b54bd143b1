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
  "Examples",
] as const;

export type CommandGroup = (typeof commandGroups)[number];

export interface Command {
  /** Unique: two commands may have the same title, for example two runs of one prompt. */
  readonly id: string;
  readonly group: CommandGroup;
  readonly title: string;
  /** A smaller text beside the title. */
  readonly about?: string;
  /** Further words by which the search finds the command. */
  readonly words?: string;
  /** The key with the same action, named as in the list of keys. */
  readonly keys?: string;
  /** Why the command is impossible now: the palette shows this sentence and does nothing. */
  readonly disabled?: string;
  readonly act: () => void;
}

/** A command without its group. */
export type UngroupedCommand = Omit<Command, "group">;
