/** Which model, on which device, and how its loading goes. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../base/message-of.ts";
import type { CatalogEntry } from "../../session/catalog.ts";
import type { DevicePreference } from "../../session/protocol.ts";
import { Icon } from "../../ui/icon.tsx";
import { Popover } from "../../ui/popover.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { ModelStatus } from "../store/model-store.ts";
import { useStores } from "../store/stores.ts";
import { LoadingPanel } from "./loading-panel.tsx";
import { modelFacts, modelOrigin } from "./model-facts.ts";
import { OtherModel } from "./other-model.tsx";
import "./model-picker.css";

const devices = [
  { value: "auto", label: "Auto" },
  { value: "webgpu", label: "WebGPU" },
  { value: "wasm", label: "WebAssembly" },
] as const satisfies readonly { value: DevicePreference; label: string }[];

export function ModelPicker() {
  const { model } = useStores();
  const { choice, status } = useStore(model);
  return (
    <Popover
      label="Model"
      className="button button-quiet model-button"
      trigger={
        <>
          <span className="visually-hidden">Model: </span>
          <span className={`model-state model-${status.type}`} aria-hidden="true" />
          <span className="model-name">{choice ? shortName(choice.reference.id) : "Choose a model"}</span>
          <span className="model-where">{stateInWords(status)}</span>
          <Icon name="down" />
        </>
      }
    >
      {(close) => <ModelPanel close={close} />}
    </Popover>
  );
}

function ModelPanel({ close }: { close: () => void }) {
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

/** The last part of a hub id: what a person calls the model. */
function shortName(id: string): string {
  return id.replace(/\/+$/, "").split("/").at(-1) ?? id;
}

const stages = { wait: "waiting", download: "loading", compile: "preparing", check: "checking" } as const;

function stateInWords(status: ModelStatus): string {
  switch (status.type) {
    case "none":
      return "loads when you press Run";
    case "loading":
      return stages[status.stage];
    case "ready":
      return deviceInWords(status.loaded.device, status.loaded.file);
    case "failed":
      return "did not load";
  }
}

function deviceInWords(device: "webgpu" | "wasm", file: string): string {
  const dtype = /model_?([a-z0-9]*)\.onnx/.exec(file)?.[1] || "fp32";
  return `${device === "webgpu" ? "WebGPU" : "WebAssembly"} · ${dtype}`;
}
