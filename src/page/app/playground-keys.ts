/** The list of keys of the playground: the keys of the page, with those of features after History. */
import { featureKeys } from "./features/feature-keys.ts";
import { keyBindings } from "./key-acts.ts";
import type { KeyRow } from "./key-row.ts";
import { keyTable } from "./keys.ts";

export const playgroundKeys: readonly KeyRow[] = keyTable.flatMap((row) =>
  row.act === keyBindings.history.act ? [row, ...featureKeys] : [row],
);
