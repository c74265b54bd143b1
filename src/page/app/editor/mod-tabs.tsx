/** The mods in the order in which a run asks them: to open, switch, move, rename and delete. */
import { type DragEvent, type KeyboardEvent, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useStore } from "zustand";
import { IconButton } from "../../../view/ui/button.tsx";
import { faultInDialog } from "../../../view/ui/dialog.tsx";
import { Icon } from "../../../view/ui/icon.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import { features } from "../features/features.ts";
import type { PageActions } from "../page-actions.ts";
import { saveFile } from "../share/save-file.ts";
import type { UserMod } from "../store/mods-store.ts";
import { useStores } from "../store/stores.ts";
import { ModEntryChoice } from "./export-choice.tsx";
import { VersionsDialog } from "./lazy-versions.tsx";

/** Makes a change that removes the focused control, then focuses a mod's tab: otherwise the keyboard would start at the top. */
function changeAndFocus(change: () => void, mod: () => string | null): void {
  flushSync(change);
  document.getElementById(`mod-${mod()}`)?.focus();
}

const featureEntries = features.flatMap(({ modMenu }) => modMenu ?? []);

const encode = (text: string) => new TextEncoder().encode(text);

interface ModTabsProps {
  readonly page: PageActions;
}

export function ModTabs({ page }: ModTabsProps) {
  const { mods: store } = useStores();
  const { mods, active, move } = useStore(store);
  const [dragged, setDragged] = useState<string | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  // Scrolls the open mod's tab into view. A mod that was just added has its tab at the end.
  useEffect(() => {
    if (active === null) return;
    const tab = document.getElementById(`mod-${active}`)?.closest("li");
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const drop = (event: DragEvent, mod: UserMod) => {
    event.preventDefault();
    if (dragged) move(dragged, mods.indexOf(mod));
    setTarget(null);
  };
  return (
    <div className="mod-bar">
      <ul className="mod-list" aria-label="Mods, in the order they run">
        {mods.map((mod) => (
          <li
            key={mod.id}
            className="mod-item"
            data-active={mod.id === active}
            data-off={!mod.enabled}
            data-dragged={mod.id === dragged}
            data-drop={mod.id === target && dragged !== mod.id}
            draggable={renaming !== mod.id}
            onDragStart={() => setDragged(mod.id)}
            onDragEnd={() => {
              setDragged(null);
              setTarget(null);
            }}
            onDragOver={(event) => {
              event.preventDefault();
              setTarget(mod.id);
            }}
            onDrop={(event) => drop(event, mod)}
          >
            <ModTab
              mod={mod}
              renaming={renaming === mod.id}
              onRename={(on) => setRenaming(on ? mod.id : null)}
              page={page}
            />
          </li>
        ))}
      </ul>
      <IconButton icon="plus" label="Add a mod" onClick={() => page.open("gallery")} />
      {features.map(
        ({ dialog }) =>
          dialog && (
            <IconButton
              key={dialog.id}
              icon={dialog.icon}
              label={dialog.title}
              onClick={() => page.open(dialog.id)}
            />
          ),
      )}
    </div>
  );
}

interface ModTabProps {
  readonly mod: UserMod;
  readonly renaming: boolean;
  readonly onRename: (on: boolean) => void;
  readonly page: PageActions;
}

function ModTab({ mod, renaming, onRename, page }: ModTabProps) {
  const { mods: store } = useStores();
  const { mods, active, open, toggle, move } = useStore(store);
  const place = mods.indexOf(mod);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "F2") onRename(true);
    else if (step !== undefined && event.altKey) move(mod.id, place + step);
    else if (step !== undefined) {
      const next = mods[place + step];
      if (next) {
        open(next.id);
        document.getElementById(`mod-${next.id}`)?.focus();
      }
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="checkbox"
        className="mod-switch"
        checked={mod.enabled}
        aria-label={`Include ${mod.name} in the next run`}
        title={mod.enabled ? "Included in the next run" : "Not included in the next run"}
        onChange={() => toggle(mod.id)}
      />
      {renaming ? (
        <NewNameField mod={mod} onDone={() => onRename(false)} />
      ) : (
        <button
          type="button"
          id={`mod-${mod.id}`}
          className="mod-name"
          translate="no"
          aria-current={mod.id === active}
          onClick={() => open(mod.id)}
          onDoubleClick={() => onRename(true)}
          onKeyDown={onKeyDown}
        >
          {mod.name}
          {mod.entry !== null && <span className="mod-export"> · {mod.entry}</span>}
        </button>
      )}
      <ModMenu mod={mod} onRename={() => onRename(true)} page={page} />
    </>
  );
}

function NewNameField({ mod, onDone }: { mod: UserMod; onDone: () => void }) {
  const { mods } = useStores();
  const [name, setName] = useState(mod.name);
  const finish = (isConfirmed: boolean) => {
    if (isConfirmed) mods.getState().rename(mod.id, name);
    onDone();
  };
  return (
    <input
      className="mod-rename"
      aria-label={`New name of ${mod.name}`}
      // biome-ignore lint/a11y/noAutofocus: the user asked to type a name here
      autoFocus
      value={name}
      onChange={({ target }) => setName(target.value)}
      onFocus={({ target }) => target.select()}
      onBlur={() => finish(true)}
      onKeyDown={({ key }) => {
        if (key === "Enter" || key === "Escape")
          changeAndFocus(
            () => finish(key === "Enter"),
            () => mod.id,
          );
      }}
    />
  );
}

interface ModMenuProps {
  readonly mod: UserMod;
  readonly onRename: () => void;
  readonly page: PageActions;
}

function ModMenu({ mod, onRename, page }: ModMenuProps) {
  const stores = useStores();
  const { mods: store, notices } = stores;
  const { mods, move, remove, add } = useStore(store);
  const [showsVersions, setShowsVersions] = useState(false);
  const place = mods.indexOf(mod);
  const closeThen = (close: () => void, action: () => void) => () => {
    close();
    action();
  };
  const removeMod = () => {
    let undo = () => {};
    changeAndFocus(
      () => {
        undo = remove(mod.id);
      },
      () => store.getState().active,
    );
    notices.getState().show(`${mod.name} was deleted.`, { label: "Undo", run: undo });
  };
  const closeVersions = () => setShowsVersions(false);
  return (
    <>
      <Popover
        label={mod.name}
        buttonLabel={`More actions for ${mod.name}`}
        className="button button-quiet button-icon"
        trigger={<Icon name="more" />}
      >
        {(close) => (
          <div className="menu">
            <ModEntryChoice mod={mod} />
            <button
              type="button"
              disabled={place === 0}
              onClick={closeThen(close, () => move(mod.id, place - 1))}
            >
              Move left<kbd>Alt ←</kbd>
            </button>
            <button
              type="button"
              disabled={place === mods.length - 1}
              onClick={closeThen(close, () => move(mod.id, place + 1))}
            >
              Move right<kbd>Alt →</kbd>
            </button>
            <button type="button" onClick={closeThen(close, onRename)}>
              Rename<kbd>F2</kbd>
            </button>
            <button type="button" onClick={closeThen(close, () => add(mod.name, mod.source, mod))}>
              Duplicate
            </button>
            <button
              type="button"
              onClick={closeThen(close, () => saveFile(`${mod.name}.ts`, encode(mod.source)))}
            >
              Save as a file
            </button>
            <button type="button" onClick={closeThen(close, () => setShowsVersions(true))}>
              Versions …
            </button>
            {featureEntries.map(({ label, act }) => (
              <button key={label} type="button" onClick={closeThen(close, () => act(stores, page, mod.id))}>
                {label}
              </button>
            ))}
            <button type="button" onClick={closeThen(close, removeMod)}>
              Delete
            </button>
          </div>
        )}
      </Popover>
      {showsVersions && (
        <VersionsDialog
          mod={mod.id}
          onClose={closeVersions}
          within={faultInDialog(`Versions of ${mod.name}`, closeVersions)}
        />
      )}
    </>
  );
}
