/** The groups of the list of keys. Apart from `key-row.ts`, because a link is drawn without the list. */

/** In the order in which the list of keys shows them. */
export const keyGroups = [
  "Page",
  "Run",
  "Text",
  "Overview and tracks",
  "Events",
  "Mods and editor",
  "Anywhere",
] as const;
