/** The command palette: everything that the page can do, found by typing. Fetched when it is first opened. */
import { Command as Menu } from "cmdk";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useStore } from "zustand";
import type { CatalogEntry } from "../../session/catalog.ts";
import { guideCommands } from "../guide/guide-commands.ts";
import { historyOf } from "../history/history-store.ts";
import type { PageActions } from "../page-actions.ts";
import { useStores } from "../store/stores.ts";
import type { Command } from "./command.ts";
import { findCommands, listedCount } from "./find-commands.ts";
import { galleryCommands, modCommands, modelCommands, runCommands } from "./listed-commands.ts";
import { goToCommands, pageCommands } from "./page-commands.ts";
import "./command-palette.css";

interface CommandPaletteProps {
  readonly actions: PageActions;
  readonly onClose: () => void;
}

export function CommandPalette({ actions, onClose }: CommandPaletteProps) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState("");
  const commands = useCommands(actions, text);
  const groups = useMemo(() => findCommands(commands, text), [commands, text]);
  const count = listedCount(groups);
  const dialog = useRef<HTMLDialogElement>(null);
  // Its cleanup runs while the dialog is still in the page: only then does closing it give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector("input")?.focus();
    return () => element?.close();
  }, []);
  const choose = ({ disabled, act }: Command) => {
    if (disabled !== undefined) return;
    // The focus goes back to where it was before the command moves it elsewhere.
    flushSync(onClose);
    act();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Commands"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onClose();
      }}
    >
      <Menu
        className="palette-inside"
        label="Commands"
        shouldFilter={false}
        vimBindings={false}
        loop
        value={chosen}
        onValueChange={setChosen}
      >
        <Menu.Input
          className="palette-input"
          placeholder="Find a command, a run, a mod, or a token by its number"
          maxLength={200}
          value={text}
          onValueChange={(next) => {
            setText(next);
            // The best of what is found now, not what was chosen of what was found before.
            setChosen("");
          }}
        />
        {count === 0 && (
          <p className="palette-none">
            Nothing is found for “{text.trim()}”. Fewer or other words may find it; texts of runs are searched
            in History.
          </p>
        )}
        <Menu.List className="palette-list" label="What was found">
          {groups.map(({ group, commands: found, more }) => (
            <Menu.Group
              key={group}
              heading={more > 0 ? `${group} (${more} more: type to find them)` : group}
              className="palette-group"
            >
              {found.map((command) => (
                <Item key={command.id} command={command} onChoose={() => choose(command)} />
              ))}
            </Menu.Group>
          ))}
        </Menu.List>
        <p className="palette-foot">
          <span role="status">{text.trim() === "" ? "" : `${count} found`}</span>
          <span aria-hidden="true">
            <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> do it · <kbd>Esc</kbd> close
          </span>
        </p>
      </Menu>
    </dialog>
  );
}

function Item({ command, onChoose }: { command: Command; onChoose: () => void }) {
  const { id, title, about, keys, disabled } = command;
  return (
    <Menu.Item value={id} className="palette-item" disabled={disabled !== undefined} onSelect={onChoose}>
      <span className="palette-title">{title}</span>
      <span className="palette-about">{disabled ?? about}</span>
      {keys !== undefined && disabled === undefined && <kbd>{keys}</kbd>}
    </Menu.Item>
  );
}

/** All commands as things stand; those of runs and models come when these are read. */
function useCommands(actions: PageActions, text: string): readonly Command[] {
  const stores = useStores();
  const status = useStore(stores.run, (state) => state.status);
  const { mods } = useStore(stores.mods);
  const { notices } = useStore(stores.notices);
  const runs = useStore(historyOf(stores.runs), (state) => state.runs);
  const [models, setModels] = useState<readonly CatalogEntry[]>([]);
  useEffect(() => {
    stores.engine.listModels().then(
      setModels,
      // The model picker says what is wrong with the list of models.
      () => undefined,
    );
  }, [stores]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stores are read when what they say has changed
  const fixed = useMemo(
    () => [
      ...pageCommands(stores, actions),
      ...modCommands(stores, actions),
      ...modelCommands(stores, models),
      ...runCommands(stores, actions, runs ?? [], Date.now()),
      ...guideCommands(actions),
      ...galleryCommands(stores, actions),
    ],
    [stores, actions, status, mods, notices, models, runs],
  );
  return useMemo(() => [...goToCommands(stores, actions, text), ...fixed], [stores, actions, text, fixed]);
}
