/** Where mods are written: their order, the editor, and what is wrong with them. */
import { lazy, Suspense, useState } from "react";
import { useStore } from "zustand";
import { useStores } from "../store/stores.ts";
import { Button } from "../ui/button.tsx";
import { editorTurn, letEditorCome } from "./editor-turn.ts";
import { Gallery } from "./gallery.tsx";
import { ModTabs } from "./mod-tabs.tsx";
import { Problems } from "./problems.tsx";
import type { SourcePlace } from "./source-place.ts";
import "./mods-pane.css";

/** Monaco is large: it comes after everything else. */
const CodeEditor = lazy(async () => {
  await editorTurn();
  const { CodeEditor } = await import("./code-editor.tsx");
  return { default: CodeEditor };
});

interface ModsPaneProps {
  readonly goTo: SourcePlace | null;
  readonly onOpenLine: (mod: string, line: number | null) => void;
}

export function ModsPane({ goTo, onOpenLine }: ModsPaneProps) {
  const { mods: store } = useStores();
  const { mods, active } = useStore(store);
  const [gallery, setGallery] = useState(false);
  const current = mods.find(({ id }) => id === active);
  return (
    <section className="mods" aria-label="Write">
      <ModTabs onNew={() => setGallery(true)} />
      {current ? (
        <div className="mods-editor">
          <Suspense
            fallback={
              <pre className="mods-source" onPointerEnter={letEditorCome}>
                {current.source}
              </pre>
            }
          >
            <CodeEditor goTo={goTo} />
          </Suspense>
        </div>
      ) : (
        <div className="mods-none">
          <p>No mod is here. The model’s words pass unchanged.</p>
          <Button icon="plus" onClick={() => setGallery(true)}>
            Add a mod
          </Button>
        </div>
      )}
      <Problems onOpenLine={onOpenLine} />
      {gallery && <Gallery onClose={() => setGallery(false)} />}
    </section>
  );
}
