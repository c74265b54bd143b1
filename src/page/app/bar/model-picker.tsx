/** Shows the chosen model and the progress of loading. The panel for changing it is loaded on demand. */
import { useStore } from "zustand";
import { Icon } from "../../../view/ui/icon.tsx";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import type { ModelStatus } from "../store/model-store.ts";
import { useStores } from "../store/stores.ts";
import "./model-picker.css";

const ModelPanel = lazyPart({
  part: "The list of models",
  load: () => import("./model-panel.tsx"),
  component: "ModelPanel",
});

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
          <span className="model-name" translate={choice ? "no" : "yes"}>
            {choice ? shortName(choice.reference.id) : "Choose a model"}
          </span>
          <span className="model-where">{stateInLabels(status)}</span>
          <Icon name="down" />
        </>
      }
    >
      {(close) => <ModelPanel close={close} placeholder={<div className="model-panel" />} />}
    </Popover>
  );
}

/** The last part of a hub id: what a person calls the model. */
function shortName(id: string): string {
  return id.replace(/\/+$/, "").split("/").at(-1) ?? id;
}

const stages = {
  wait: "starting",
  download: "loading",
  compile: "getting ready",
  check: "testing this device",
} as const;

function stateInLabels(status: ModelStatus): string {
  switch (status.type) {
    case "none":
      return "loads when you press Run";
    case "loading":
      return stages[status.stage];
    case "paused":
      return "paused";
    case "ready":
      return describeDevice(status.loaded.device, status.loaded.file);
    case "failed":
      return "did not load";
  }
}

function describeDevice(device: "webgpu" | "wasm" | "server", file: string): string {
  if (device === "server") return "Server";
  const dtype = /model_?([a-z0-9]*)\.onnx/.exec(file)?.[1] || "fp32";
  return `${device === "webgpu" ? "WebGPU" : "WebAssembly"} · ${dtype}`;
}
