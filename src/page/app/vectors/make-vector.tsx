/** The form that makes a vector from two lists of texts: the lists, the reading, the layer, the name. */
import { useEffect, useMemo, useRef, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { type VectorWithMetadata, vectorFileLimits } from "../../../core/vectors/known-vector.ts";
import {
  chooseLayer,
  fewestTexts,
  judgeLayers,
  type LayerJudgement,
} from "../../../core/vectors/make-vector.ts";
import type { VectorTexts } from "../../../core/vectors/text-states.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { ProgressLine } from "../../../view/ui/share-done.tsx";
import { useStores } from "../store/stores.ts";
import { SaveVectorForm } from "./read-vector.tsx";
import {
  nonEmptyLines,
  readVectorTextStates,
  type VectorTextStates,
  type VectorTextsProgress,
} from "./read-vector-texts.ts";
import { TextLists } from "./text-lists.tsx";
import { storedVectorForm, type VectorForm } from "./vector-form.ts";

interface MakeVectorProps {
  /** The first texts of the form. */
  readonly first: VectorForm;
  readonly onBack: () => void;
  readonly onClose: () => void;
  readonly onMade: (vector: VectorWithMetadata) => void;
}

/** The result of reading the texts, with the texts that were read. */
interface Read extends VectorTextStates {
  readonly texts: VectorTexts;
  readonly judged: readonly LayerJudgement[];
  readonly chosen: number;
}

export function MakeVector({ first, onBack, onClose, onMade }: MakeVectorProps) {
  const stores = useStores();
  const [values, setValues] = useState(first);
  const storedForm = useMemo(() => storedVectorForm(stores), [stores]);
  const [progress, setProgress] = useState<VectorTextsProgress | null>(null);
  const [read, setRead] = useState<Read | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const texts: VectorTexts = {
    ...values,
    toward: nonEmptyLines(values.toward),
    away: nonEmptyLines(values.away),
  };
  const begin = async () => {
    const refusal = problemOf(texts);
    setProblem(refusal);
    if (refusal !== null) return;
    const controller = new AbortController();
    stop.current = controller;
    setRead(null);
    try {
      const { signal } = controller;
      const reading = await readVectorTextStates(stores, texts, { signal, onProgress: setProgress });
      const judged = judgeLayers(reading.states);
      if (!signal.aborted) setRead({ ...reading, texts, judged, chosen: chooseLayer(judged) });
    } catch (cause) {
      if (!controller.signal.aborted) setProblem(messageOf(cause));
    } finally {
      if (stop.current === controller) stop.current = null;
      setProgress(null);
    }
  };
  const change = (changes: Partial<VectorForm>) => {
    const changed = { ...values, ...changes };
    setValues(changed);
    storedForm.save(changed);
    setProblem(null);
  };
  const isStale = read !== null && JSON.stringify(read.texts) !== JSON.stringify(texts);
  return (
    <Dialog
      title="Make a vector"
      onClose={onClose}
      wide
      footer={
        progress ? (
          <Button onClick={() => stop.current?.abort()}>Stop</Button>
        ) : (
          <>
            <Button onClick={onBack}>Back</Button>
            <Button weight={read && !isStale ? "normal" : "primary"} onClick={() => void begin()}>
              {read ? "Read the texts again" : "Read the texts"}
            </Button>
          </>
        )
      }
    >
      <TextLists
        values={values}
        counts={{ toward: texts.toward.length, away: texts.away.length }}
        disabled={progress !== null}
        onChange={change}
      />
      {progress && <ProgressLine {...progress} />}
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      {isStale && !progress && (
        <p className="vectors-stale" role="status">
          The texts have changed since they were read. Read the texts again to see the new result.
        </p>
      )}
      {read && !isStale && !progress && <SaveVectorForm read={read} onMade={onMade} />}
    </Dialog>
  );
}

/** The problem of the lists before they are read. */
function problemOf({ toward, away }: VectorTexts): string | null {
  const { texts, textLength } = vectorFileLimits;
  for (const [list, name] of [
    [toward, "toward"],
    [away, "away"],
  ] as const) {
    const side = name === "toward" ? "“Toward”" : "“Away from”";
    if (list.length < fewestTexts)
      return `${side} has ${list.length === 0 ? "no text" : "one text"}. A list needs at least ${fewestTexts} texts, one per line; eight or more make a better vector.`;
    if (list.length > texts)
      return `${side} has ${list.length} texts, but the limit is ${texts}. Remove some texts.`;
    const long = list.findIndex((text) => text.length > textLength);
    if (long >= 0)
      return `Text ${long + 1} of ${side} has ${list[long]?.length} characters, but the limit is ${textLength}. Shorten this text.`;
  }
  return null;
}
