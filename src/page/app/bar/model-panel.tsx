/** The list of models, the progress of loading the chosen model, and the device. */
import { type DragEvent, useEffect, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { type CachedModel, listCachedModels } from "../../../runtime/session/page-side/cached-models.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import type { DevicePreference } from "../../../runtime/session/shared/protocol.ts";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import { droppedEntries } from "../store/picked-folder.ts";
import { useStores } from "../store/stores.ts";
import { LoadingPanel } from "./loading-panel.tsx";
import { ModelMemory } from "./model-memory.tsx";
import { modelListHeading, modelListHeadings } from "./model-metadata.ts";
import { ModelRow } from "./model-row.tsx";
import { OtherModelForm } from "./other-model.tsx";
import { OwnServerSection } from "./own-server.tsx";

const devices = [
  { value: "auto", label: "Auto" },
  { value: "webgpu", label: "WebGPU" },
  { value: "wasm", label: "WebAssembly" },
] as const satisfies readonly { value: DevicePreference; label: string }[];

export function ModelPanel({ close }: { close: () => void }) {
  const { model, engine } = useStores();
  const { choice, status, setDevice } = useStore(model);
  const [catalog, setCatalog] = useState<readonly CatalogEntry[] | string>([]);
  const [cached, setCached] = useState<ReadonlyMap<string, CachedModel>>(new Map());
  const [dropped, setDropped] = useState<readonly FileSystemEntry[] | null>(null);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    engine.listModels().then(setCatalog, (cause: unknown) => setCatalog(messageOf(cause)));
    // If the browser refuses its storage, no model is cached.
    listCachedModels().then(
      (models) => setCached(new Map(models.map((each) => [each.url, each]))),
      () => undefined,
    );
  }, [engine]);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    setDropped(droppedEntries(event.dataTransfer));
  };
  return (
    <section
      className="model-panel"
      aria-label="Models"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <LoadingPanel />
      {typeof catalog === "string" ? (
        <p className="model-error">The list of models could not be read: {catalog}</p>
      ) : (
        <div className="model-list">
          {modelListHeadings.map((title) => {
            const entries = catalog.filter((entry) => modelListHeading(entry) === title);
            if (entries.length === 0) return null;
            return (
              <section key={title} aria-label={title}>
                <h2>{title}</h2>
                <ul>
                  {entries.map((entry) => (
                    <ModelRow
                      key={entry.reference.url}
                      entry={entry}
                      cached={cached.get(entry.reference.url) ?? null}
                      onChosen={close}
                    />
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      )}
      <OtherModelForm dropped={dropped} onChosen={close} />
      <OwnServerSection catalog={typeof catalog === "string" ? [] : catalog} />
      {choice?.reference.server === undefined && (
        <div className="model-device">
          <span>Runs on</span>
          <SegmentedControl
            label="Device"
            value={choice?.device ?? "auto"}
            options={devices}
            onChange={setDevice}
          />
        </div>
      )}
      {status.type === "ready" && <p className="model-reason">{status.loaded.reason}</p>}
      <ModelMemory />
    </section>
  );
}
