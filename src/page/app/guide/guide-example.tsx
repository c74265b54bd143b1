/** An example of the guide: its source, its outputs, and a button that runs it in the guide. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { CopyButton } from "../../../view/ui/copy-button.tsx";
import { isStoryModel } from "../store/model-kind.ts";
import { startRun } from "../store/start-run.ts";
import { useStores } from "../store/stores.ts";
import type { ExampleOutput, GuideExample } from "./guide-content.ts";
import { loadGuideExample } from "./load-guide-example.ts";

const outputLabels: Readonly<Record<ExampleOutput["kind"], string>> = {
  text: "The model then writes",
  console: "The mod’s console",
  json: "The tool calls",
};

interface ExampleProps {
  readonly section: string;
  readonly example: GuideExample;
  /** Called when the example runs. */
  readonly onRun: () => void;
}

export function GuideExampleView({ section, example, onRun }: ExampleProps) {
  const stores = useStores();
  const status = useStore(stores.run, (state) => state.status);
  const model = useStore(stores.model, ({ choice }) => choice?.reference.id ?? "");
  const isBusy = status === "starting" || status === "running" || status === "paused";
  const lacksModel = example.needsInstruct && isStoryModel(model);
  const run = () => {
    loadGuideExample(stores, section, example);
    onRun();
    void startRun(stores);
  };
  return (
    <figure className="guide-example">
      {example.sources.map((source) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
        <pre translate="no" key={source} className="guide-source" tabIndex={0}>
          <code translate="no">{source}</code>
        </pre>
      ))}
      <div className="guide-tools">
        <Button icon="play" disabled={isBusy} onClick={run}>
          Run this example
        </Button>
        <CopyButton label="Copy" text={() => example.sources.join("\n\n")} />
        {isBusy && <span className="guide-note">A run is in progress.</span>}
        {lacksModel && (
          <span className="guide-note">Made for an instruct model: choose one in the model menu.</span>
        )}
      </div>
      <figcaption>
        {example.outputs.map(({ kind, text }) => (
          <div key={kind}>
            <span className="guide-label">{outputLabels[kind]}</span>
            <pre translate="no" className="guide-output">
              {text}
            </pre>
          </div>
        ))}
      </figcaption>
    </figure>
  );
}
