/** The commands of a shared run: what its page can do, found by typing. Fetched when it is first opened. */
import { useState } from "react";
import type { Command, UngroupedCommand } from "../palette/command.ts";
import { CommandMenu } from "../palette/command-menu.tsx";
import {
  appearanceCommands,
  goToCommands,
  type ReadingActions,
  type ReadingStores,
  shownRunCommands,
  viewCommands,
} from "../palette/read-commands.ts";

interface LinkPaletteProps {
  readonly stores: ReadingStores;
  readonly actions: ReadingActions;
  /** The banner's actions wait until the whole run is read. Null if they are not offered. */
  readonly isReading: boolean;
  readonly onMods: (() => void) | null;
  readonly onRerun: (() => void) | null;
  readonly onFork: (() => void) | null;
  readonly onClose: () => void;
}

export function LinkPalette(props: LinkPaletteProps) {
  const { stores, actions, isReading, onMods, onRerun, onFork, onClose } = props;
  const [text, setText] = useState("");
  const waits = isReading ? { disabled: "The run is still loading" } : {};
  const offers: readonly UngroupedCommand[] = [
    ...(onMods ? [{ id: "mods", title: "Show the mods", words: "source code script", act: onMods }] : []),
    ...(onRerun
      ? [{ id: "rerun", title: "Run here and compare", words: "rerun retry repeat", ...waits, act: onRerun }]
      : []),
    ...(onFork
      ? [{ id: "fork", title: "Open in the playground", words: "fork edit editor", ...waits, act: onFork }]
      : []),
  ];
  const of = (group: Command["group"], commands: readonly UngroupedCommand[]) =>
    commands.map((command) => ({ ...command, group }));
  const commands = [
    ...goToCommands(stores, actions, text),
    ...of("Run", [...offers, ...shownRunCommands(stores, actions)]),
    ...of("View", viewCommands(stores, actions)),
    ...of("Page", appearanceCommands(stores, actions)),
  ];
  return (
    <CommandMenu
      commands={commands}
      text={text}
      onClose={onClose}
      placeholder="Find a command, or a token by its number"
      hint="Try fewer or different words."
      onText={setText}
    />
  );
}
