/** A list of commands over the page, found by typing. */
import { Command as Menu } from "cmdk";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Command } from "./command.ts";
import { countListedCommands, findCommands } from "./find-commands.ts";
import "./command-palette.css";

interface CommandMenuProps {
  readonly commands: readonly Command[];
  /** The search text. */
  readonly text: string;
  readonly placeholder: string;
  /** The advice if nothing is found. */
  readonly hint: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

export function CommandMenu({ commands, text, placeholder, hint, onText, onClose }: CommandMenuProps) {
  const [chosen, setChosen] = useState("");
  const groups = useMemo(() => findCommands(commands, text), [commands, text]);
  const count = countListedCommands(groups);
  const dialog = useRef<HTMLDialogElement>(null);
  // The cleanup runs while the dialog is still in the page: only then does closing the dialog restore the focus.
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
          placeholder={placeholder}
          maxLength={200}
          value={text}
          onValueChange={(next) => {
            onText(next);
            // Chooses the best command of the present results, not the choice from earlier results.
            setChosen("");
          }}
        />
        {count === 0 && (
          <p className="palette-none">
            Nothing found for “{text.trim()}”. {hint}
          </p>
        )}
        <Menu.List className="palette-list" label="Results">
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
            <kbd>↑</kbd> <kbd>↓</kbd> select · <kbd>Enter</kbd> run · <kbd>Esc</kbd> close
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
