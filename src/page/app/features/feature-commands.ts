/** The commands that features add to the palette. */
import type { PageActions } from "../page-actions.ts";
import type { Command } from "../palette/command.ts";
import { shortcutFieldOf } from "../palette/read-commands.ts";
import { playgroundKeys } from "../playground-keys.ts";
import type { Stores } from "../store/stores.ts";
import { features } from "./features.ts";

/** The page's own commands, each followed by the commands of features that stand after it. */
export function withFeatureCommands(
  own: readonly Command[],
  stores: Stores,
  page: PageActions,
): readonly Command[] {
  const added = features.flatMap(({ commands }) => commands?.(stores, page) ?? []);
  return own.flatMap((command) => [
    command,
    ...added
      .filter(({ after }) => after === command.id)
      .map(({ after: _, letter, ...rest }) => ({
        ...rest,
        ...(letter !== undefined && shortcutFieldOf(stores, letter, playgroundKeys)),
        group: command.group,
      })),
  ]);
}
