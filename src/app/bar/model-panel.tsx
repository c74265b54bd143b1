/** The models that can be chosen, how the loading of the chosen one goes, and the device. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { CatalogEntry } from "../../api/catalog.ts";
import type { DevicePreference } from "../../api/session.ts";
import { messageOf } from "../../base/message-of.ts";
import { Icon } from "../../ui/icon.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { useStores } from "../store/stores.ts";
import { LoadingPanel } from "./loading-panel.tsx";
import { modelFacts, modelOrigin } from "./model-facts.ts";
import { OtherModel } from "./other-model.tsx";

const devices = [
  { value: "auto", label: "Auto" },
  { value: "webgpu", label: "WebGPU" },
  { value: "wasm", label: "WebAssembly" },
] as const satisfies readonly { value: DevicePreference; label: string }[];

export function ModelPanel({ close }: { close: () => void }) {
  const { model, engine } = useStores();
  const { choice, status, choose, setDevice } = useStore(model);
  const [catalog, setCatalog] = useState<readonly CatalogEntry[] | string>([]);
  useEffect(() => {
    engine.listModels().then(setCatalog, (cause: unknown) => setCatalog(messageOf(cause)));
  }, [engine]);
  return (
    <div className="model-panel">
      <LoadingPanel />
      {typeof catalog === "string" ? (
        <p className="model-error">The list of models could not be read: {catalog}</p>
      ) : (
        <ul className="model-list">
          {catalog.map((entry) => (
            <li key={entry.reference.url}>
              <button
                type="button"
                className="model-entry"
                aria-current={entry.reference.url === choice?.reference.url}
                onClick={() => {
                  choose(entry.reference);
                  close();
                }}
              >
                <span className="model-title">
                  {entry.title} <small>{modelOrigin(entry)}</small>
                </span>
                <span className="model-description">{entry.description}</span>
                <span className="model-facts">{modelFacts(entry)}</span>
                {entry.reference.url === choice?.reference.url && <Icon name="check" />}
              </button>
            </li>
          ))}
        </ul>
      )}
      <OtherModel onChosen={close} />
      <div className="model-device">
        <span>Runs on</span>
        <Segmented label="Device" value={choice?.device ?? "auto"} options={devices} onChange={setDevice} />
      </div>
      {status.type === "ready" && <p className="model-reason">{status.loaded.reason}</p>}
    </div>
  );
}
