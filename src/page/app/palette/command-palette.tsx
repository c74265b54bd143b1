/** The command palette: everything that the page can do, found by typing. Fetched when it is first opened. */
import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { guideCommands } from "../guide/guide-commands.ts";
import { historyStoreOf } from "../history/history-store.ts";
import type { PageActions } from "../page-actions.ts";
import { useStores } from "../store/stores.ts";
import type { Command } from "./command.ts";
import { CommandMenu } from "./command-menu.tsx";
import { galleryCommands, modCommands, modelCommands, savedRunCommands } from "./listed-commands.ts";
import { pageCommands, readingActionsOf } from "./page-commands.ts";
import { goToCommands } from "./read-commands.ts";

interface CommandPaletteProps {
  readonly actions: PageActions;
  readonly onClose: () => void;
}

export function CommandPalette({ actions, onClose }: CommandPaletteProps) {
  const [text, setText] = useState("");
  const commands = useCommands(actions, text);
  return (
    <CommandMenu
      commands={commands}
      text={text}
      onClose={onClose}
      placeholder="Find a command, a run, a mod, or a token by its number"
      hint="Try fewer or other words. To search the texts of runs, open History."
      onText={setText}
    />
  );
}

/** All commands of the present state. Commands for runs and models are added once runs and models are read. */
function useCommands(actions: PageActions, text: string): readonly Command[] {
  const stores = useStores();
  const status = useStore(stores.run, (state) => state.status);
  const { mods } = useStore(stores.mods);
  const { notices } = useStore(stores.notices);
  const runs = useStore(historyStoreOf(stores.runs), (state) => state.runs);
  const [models, setModels] = useState<readonly CatalogEntry[]>([]);
  useEffect(() => {
    stores.engine.listModels().then(
      setModels,
      // The model picker reports errors in the list of models.
      () => undefined,
    );
  }, [stores]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stores are read when what they say has changed
  const fixed = useMemo(
    () => [
      ...pageCommands(stores, actions),
      ...modCommands(stores, actions),
      ...modelCommands(stores, models),
      ...savedRunCommands(stores, actions, runs ?? [], Date.now()),
      ...guideCommands(actions),
      ...galleryCommands(stores, actions),
    ],
    [stores, actions, status, mods, notices, models, runs],
  );
  return useMemo(
    () => [...goToCommands(stores, readingActionsOf(actions), text), ...fixed],
    [stores, actions, text, fixed],
  );
}
