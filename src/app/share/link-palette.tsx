/** The commands of a shared run: what its page can do, found by typing. Fetched when it is first opened. */
import { useState } from "react";
import type { Command, Draft } from "../palette/command.ts";
import { CommandMenu } from "../palette/command-menu.tsx";
import {
  goToCommands,
  lookCommands,
  type ReadActions,
  type ReadStores,
  shownRunCommands,
  viewCommands,
} from "../palette/read-commands.ts";

interface LinkPaletteProps {
  readonly stores: ReadStores;
  readonly actions: ReadActions;
  /** What the banner offers. */
  readonly offers: readonly Draft[];
  readonly onClose: () => void;
}

export function LinkPalette({ stores, actions, offers, onClose }: LinkPaletteProps) {
  const [text, setText] = useState("");
  const of = (group: Command["group"], drafts: readonly Draft[]) =>
    drafts.map((draft) => ({ ...draft, group }));
  const commands = [
    ...goToCommands(stores, actions, text),
    ...of("Run", [...offers, ...shownRunCommands(stores, actions)]),
    ...of("View", viewCommands(stores, actions)),
    ...of("Page", lookCommands(stores, actions)),
  ];
  return (
    <CommandMenu
      {...{ commands, text, onClose }}
      placeholder="Find a command, or a token by its number"
      hint="Fewer or other words may find it."
      onText={setText}
    />
  );
}
