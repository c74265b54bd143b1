/** The pane in which mods are written: their tabs, the editor, and their problems. */
import { useLayoutEffect, useMemo, useRef } from "react";
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { formatCount } from "../../../view/ui/format.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { RulesNote } from "../lazy-panes.tsx";
import type { PageActions } from "../page-actions.ts";
import { rulesMark } from "../rules/rules-mark.ts";
import type { UserMod } from "../store/mods-store.ts";
import { useStores } from "../store/stores.ts";
import { allowEditorToLoad, waitToLoadEditor } from "./editor-turn.ts";
import { MissingCompiler } from "./missing-compiler.tsx";
import { ModTabs } from "./mod-tabs.tsx";
import { leaveSelection, leaveSourceBefore } from "./plain-field.ts";
import { Problems } from "./problems.tsx";
import type { SourcePlace } from "./source-place.ts";
import {
  colouredBeginningOf,
  isLongSource,
  mostColouredCharacters,
  mostColouredLines,
  sizeOfSource,
} from "./source-sizes.ts";
import "./mods-pane.css";

/** Monaco is large, so it is fetched after everything else. */
const CodeEditor = lazyPart({
  part: "The editor",
  async load() {
    await waitToLoadEditor();
    return import("./code-editor.tsx");
  },
  component: "CodeEditor",
});

interface ModsPaneProps {
  readonly goTo: SourcePlace | null;
  readonly page: PageActions;
  /** A step of the shown run was selected from a line of its mod. */
  readonly onShowStep: () => void;
}

export function ModsPane({ goTo, page, onShowStep }: ModsPaneProps) {
  const { mods: store } = useStores();
  const { mods, active } = useStore(store);
  const current = mods.find(({ id }) => id === active);
  return (
    <section className="mods" aria-label="Write">
      <ModTabs page={page} />
      {current?.source.startsWith(rulesMark) && <RulesNote mod={current} onOpen={() => page.open("rules")} />}
      {current ? (
        <div className="mods-editor">
          <CodeEditor
            goTo={goTo}
            onShowStep={onShowStep}
            placeholder={<SourceBeforeEditor mod={current} />}
            within={(fault) => (
              <>
                {fault}
                <PlainEditor mod={current} />
              </>
            )}
          />
        </div>
      ) : (
        <div className="mods-none">
          <p>There are no mods, so the model’s words are not changed.</p>
          <Button icon="plus" onClick={() => page.open("gallery")}>
            Add a mod
          </Button>
        </div>
      )}
      {current && <LengthNote source={current.source} />}
      <MissingCompiler />
      <Problems onOpenLine={page.openLine} />
    </section>
  );
}

/** The editor features that a long source goes without. */
function LengthNote({ source }: { source: string }) {
  const size = useMemo(() => sizeOfSource(source), [source]);
  if (!isLongSource(size)) return null;
  const [has, most] =
    size.characters > mostColouredCharacters
      ? [`${formatCount(size.characters)} characters`, `${formatCount(mostColouredCharacters)} characters`]
      : [`${formatCount(size.lines)} lines`, `${formatCount(mostColouredLines)} lines`];
  return (
    <p className="mods-note">
      This mod has {has}. Above {most}, code is not highlighted, and the editor does not check it.
    </p>
  );
}

/** The source until the editor is there. A source of usual length can be changed already. */
function SourceBeforeEditor({ mod }: { mod: UserMod }) {
  const isLong = useMemo(() => isLongSource(sizeOfSource(mod.source)), [mod.source]);
  if (!isLong) return <PlainEditor mod={mod} />;
  return (
    <pre translate="no" className="mods-source" onPointerEnter={allowEditorToLoad}>
      {colouredBeginningOf(mod.source)}
    </pre>
  );
}

/**
 * Replaces the editor until its code is there, and if its code could not be fetched, so that a mod can be read and changed. The
 * editor that comes afterwards takes the focus and the selection, and can undo what was typed here.
 */
function PlainEditor({ mod }: { mod: UserMod }) {
  const { mods } = useStores();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    return () => {
      if (element && document.activeElement === element)
        leaveSelection({ mod: mod.id, start: element.selectionStart, end: element.selectionEnd });
    };
  }, [mod.id]);
  return (
    <textarea
      ref={field}
      className="mods-source mods-plain"
      translate="no"
      onPointerEnter={allowEditorToLoad}
      onFocus={allowEditorToLoad}
      aria-label={`Source of ${mod.name}`}
      spellCheck={false}
      value={mod.source}
      onChange={({ target }) => {
        leaveSourceBefore(mod.id, mod.source);
        mods.getState().edit(mod.id, target.value);
      }}
    />
  );
}
