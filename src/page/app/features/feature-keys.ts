/** The keys that open what features add. */
import type { KeyBinding, KeyRow } from "../key-row.ts";
import { features } from "./features.ts";
import type { FeatureKey } from "./page-feature.ts";

type FeatureKeyRow = KeyRow & KeyBinding;

const rowOf = ({ letter, does }: FeatureKey, act: KeyBinding["act"]): FeatureKeyRow => ({
  group: "Page",
  inPlayground: true,
  keys: [letter],
  isLetter: true,
  does,
  act,
});

/** Rows of the list of keys, with their actions. */
export const featureKeys: readonly FeatureKeyRow[] = features.flatMap(({ pane, dialog }) => {
  const rows: FeatureKeyRow[] = [];
  if (pane)
    rows.push(
      rowOf(pane.key, ({ actions }) => {
        actions.togglePane?.(pane.id);
        return actions.togglePane !== undefined;
      }),
    );
  if (dialog)
    rows.push(
      rowOf(dialog.key, ({ actions }) => {
        actions.openDialog?.(dialog.id);
        return actions.openDialog !== undefined;
      }),
    );
  return rows;
});
