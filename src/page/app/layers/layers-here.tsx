/** The layers of the selected step: reads them when the step is shown, and gives the panel the readings. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import type { ShownStepLayers } from "../../../view/timeline/layers/layers-panel.tsx";
import { LayersPanel } from "../../../view/timeline/layers/layers-panel.tsx";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import { useStores } from "../store/stores.ts";
import { type LayersQueryWithSpans, layerChangesAt, layersQuestionAt } from "./layers-question.ts";
import { type LayersReader, layersReaderOf } from "./layers-store.ts";
import { readinessOfRunsModel } from "./model-of-run.ts";
import { CachedLayersSummary } from "./saved-layers.tsx";
import { StepReadingStatus } from "./step-reading-status.tsx";

/** Milliseconds for which a step must stay selected before its layers are read: a user who moves through steps starts no reading. */
const restMs = 200;

export function StepLayersPanel() {
  const stores = useStores();
  const { settings } = stores;
  const reader = layersReaderOf(stores);
  const run = useStore(stores.run);
  const chosen = useStore(stores.model);
  const { showsLayers, keepsHidden } = useStore(settings);
  const version = useStore(reader.store, (state) => state.version);
  const stepProgress = useStore(reader.store, (state) => state.stepProgress);
  const [isBeside, setBeside] = useState(true);
  const { trace, selection, id } = run;
  const selected = selection?.cursor ?? null;
  const index = selected !== null && selected < trace.tokens.text.length ? selected : null;
  const isOver = trace.finished !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that goes on is not asked about; then it is whole
  const asked = useMemo(
    () => (index === null ? null : layersQuestionAt(trace, index, { isPlain: false, keepHidden: false })),
    [trace, index, isOver],
  );
  const model = readinessOfRunsModel(run, chosen);
  const isSteered = asked !== null && typeof asked !== "string" && asked.spans.length > 0;
  const way = { beside: isSteered && isBeside, keepHidden: keepsHidden };
  const canRead = model.type === "ready" && index !== null && typeof asked !== "string";
  const readsNow = canRead && showsLayers;
  const readHere = () => index !== null && reader.readStep(index, way);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `way` is made of what is named
  useEffect(() => {
    if (!readsNow || index === null) return;
    const timer = setTimeout(() => reader.readStep(index, way), restMs);
    return () => clearTimeout(timer);
  }, [reader, readsNow, index, id, way.beside, way.keepHidden]);
  // When the user goes to another panel, reading stops, since its result cannot be seen.
  useEffect(() => () => reader.cancelStep(), [reader]);

  const now = useShown({ reader, version, asked, index, run, isBeside });
  const shown = useLast(now, id);
  const isBusy = shown !== null && shown.index !== index;
  return (
    <LayersPanel
      trace={trace}
      shown={index === null ? null : shown}
      isBusy={isBusy}
      status={
        <StepReadingStatus
          stores={stores}
          trace={trace}
          index={index}
          asked={asked}
          progress={stepProgress}
          model={model}
          shown={now}
          onRead={() => {
            settings.getState().change({ showsLayers: true });
            readHere();
          }}
          onCancel={() => reader.cancelStep()}
        />
      }
      tools={
        <>
          {isSteered && <CompareChoice isBeside={isBeside} onChange={setBeside} />}
          <label className="layers-auto">
            <input
              type="checkbox"
              checked={showsLayers}
              onChange={({ target }) => settings.getState().change({ showsLayers: target.checked })}
            />
            Read the layers of each step I select
          </label>
        </>
      }
      foot={<CachedLayersSummary reader={reader} index={index} />}
    />
  );
}

interface CompareChoiceProps {
  readonly isBeside: boolean;
  readonly onChange: (isBeside: boolean) => void;
}

function CompareChoice({ isBeside, onChange }: CompareChoiceProps) {
  return (
    <SegmentedControl
      label="Layers shown"
      value={isBeside ? "beside" : "alone"}
      options={[
        { value: "beside", label: "With and without steering" },
        { value: "alone", label: "With steering" },
      ]}
      onChange={(value) => onChange(value === "beside")}
    />
  );
}

interface ShownOptions {
  readonly reader: LayersReader;
  readonly version: number;
  readonly asked: LayersQueryWithSpans | string | null;
  readonly index: number | null;
  readonly run: {
    readonly id: string;
    readonly trace: { readonly request: { readonly model: { readonly vocabularySize: number } } | null };
  };
  readonly isBeside: boolean;
}

/** The saved layers of the selected step; null if there are none. */
function useShown({ reader, version, asked, index, run, isBeside }: ShownOptions): ShownStepLayers | null {
  const vocabularySize = run.trace.request?.model.vocabularySize ?? 2;
  // Runs at each `version`, but the result changes only with the cached reading of this step.
  const ran = version >= 0 && index !== null ? reader.reading(index, false) : null;
  const plain = isBeside && index !== null ? reader.reading(index, true) : null;
  return useMemo(() => {
    if (index === null || ran === null) return null;
    return {
      index,
      ran: { lines: ran.step.layers, vocabularySize },
      plain: plain && { lines: plain.step.layers, vocabularySize },
      acted: asked === null || typeof asked === "string" ? new Map<number, string>() : layerChangesAt(asked),
    };
  }, [index, ran, plain, asked, vocabularySize]);
}

/** The last reading of the same run: the panel shows this reading while the next one is read. */
function useLast(now: ShownStepLayers | null, run: string): ShownStepLayers | null {
  const last = useRef<{ readonly run: string; readonly shown: ShownStepLayers } | null>(null);
  if (now) last.current = { run, shown: now };
  return now ?? (last.current?.run === run ? last.current.shown : null);
}
