/** Shades each word by the layer that decided the word. Reads word after word, the words in view first, while the engine is idle. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { DecidedLayerLegend } from "../../../view/timeline/layers/depth-legend.tsx";
import type { TextMarks } from "../../../view/timeline/ribbon/text-marks.ts";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { layersQuestionAt } from "./layers-question.ts";
import { layersReaderOf, type TextReadingProgress } from "./layers-store.ts";
import { loadModelOfRun, readinessOfRunsModel } from "./model-of-run.ts";
import { layersOpeningSentence } from "./opening-labels.ts";
import { nextUnreadWord } from "./words-in-view.ts";

export function LayerShading({ onMarks }: { readonly onMarks: (marks: TextMarks | null) => void }) {
  const stores = useStores();
  const reader = layersReaderOf(stores);
  const run = useStore(stores.run);
  const chosen = useStore(stores.model);
  const { marks, marked, layerCount, textProgress } = useStore(reader.store);
  const { trace, id } = run;
  const tokens = trace.tokens.text.length;
  const model = readinessOfRunsModel(run, chosen);
  const isReady = model.type === "ready";

  useEffect(() => onMarks(marks), [marks, onMarks]);
  useEffect(() => () => reader.stopText(), [reader]);
  const start = () => reader.readText(() => nextUnreadWord(tokens, (index) => reader.hasMark(index)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: begun once for each run, and once its model is there
  useEffect(() => {
    if (isReady && marked < tokens) start();
  }, [reader, id, isReady]);

  const hasPut = trace.totals.forced + trace.totals.reinjected > 0;
  const refusal = tokens > 0 && trace.finished !== null ? refusalOf(run) : null;
  const why = refusal ?? (model.type === "ready" ? null : model.words);
  const words = marked === tokens ? null : (why ?? progressSentence(textProgress));
  return (
    <DecidedLayerLegend layerCount={layerCount} marked={marked} tokens={tokens} words={words} hasPut={hasPut}>
      {refusal === null && marked < tokens && (
        <>
          {model.type === "load" && (
            <Button onClick={() => void loadModelOfRun(stores, model.id)}>
              Load {showInvisibleCharacters(model.id)}
            </Button>
          )}
          {isReady &&
            (textProgress.type === "reading" ? (
              <Button weight="quiet" onClick={() => reader.stopText()}>
                Stop
              </Button>
            ) : (
              <Button weight="quiet" onClick={start}>
                {textProgress.type === "failed" ? "Try again" : "Continue"}
              </Button>
            ))}
        </>
      )}
    </DecidedLayerLegend>
  );
}

/** A failure, or the opening of the model that reads the layers; null while words are read or nothing is. */
function progressSentence(progress: TextReadingProgress): string | null {
  if (progress.type === "failed") return `The layers could not be read. ${progress.message}`;
  return progress.type === "reading" && progress.opening ? layersOpeningSentence(progress.opening) : null;
}

/** Why the engine cannot read the layers of the first word, and so of no word of the run; null if the engine can. */
function refusalOf({ trace }: { readonly trace: Parameters<typeof layersQuestionAt>[0] }): string | null {
  const asked = layersQuestionAt(trace, 0, { isPlain: false, keepHidden: false });
  return typeof asked === "string" ? asked : null;
}
