/** The result of the texts: how well each layer separates them, where the held-out texts fall, and the vector's name. */
import { type FormEvent, useId, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { steeringVectorLimits, steeringVectorText } from "../../../core/sdk/steering-vector.ts";
import type { VectorWithMetadata } from "../../../core/vectors/known-vector.ts";
import { differenceVector, type LayerJudgement } from "../../../core/vectors/make-vector.ts";
import type { VectorTexts } from "../../../core/vectors/text-states.ts";
import { Button } from "../../../view/ui/button.tsx";
import { HeldOutPairsChart } from "./held-out.tsx";
import { LayerChart } from "./layer-chart.tsx";
import type { VectorTextStates } from "./read-vector-texts.ts";

interface ReadVectorProps {
  readonly read: VectorTextStates & {
    readonly texts: VectorTexts;
    readonly judged: readonly LayerJudgement[];
    /** The layer that was chosen for the user. */
    readonly chosen: number;
  };
  readonly onMade: (vector: VectorWithMetadata) => void;
}

const percent = (share: number) => `${Math.round(share * 100)}%`;

export function SaveVectorForm({ read, onMade }: ReadVectorProps) {
  const { judged, states, texts, modelId, chosen } = read;
  const [layer, setLayer] = useState(chosen);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const judgement = judged[layer] as LayerJudgement;
  const count = judgement.toward.length + judgement.away.length;
  const keep = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") {
      setProblem("Enter a name. Mods and lists refer to the vector by this name.");
      return;
    }
    try {
      const text = steeringVectorText({
        layer,
        vector: differenceVector(states, judgement),
        name: name.trim(),
      });
      const { layerCount, hiddenSize } = states;
      const { share, stream } = judgement;
      onMade({ text, model: { id: modelId, layerCount, hiddenSize }, texts, share, stream });
    } catch (cause) {
      setProblem(messageOf(cause));
    }
  };
  return (
    <section className="read-vector" aria-label="Result">
      <LayerChart judged={judged} layer={layer} chosen={chosen} onChoose={setLayer} />
      <p className="read-vector-says" aria-live="polite">
        Layer {layer}: {Math.round(judgement.share * count)} of {count} held-out texts are on the side of
        their own list (chance: half). Of all pairs of one text from each list, {percent(judgement.area)} are
        in the right order. The distance between the two means is{" "}
        {percent(judgement.difference / judgement.stream)} of a hidden state’s length. The vector’s length is
        one eighth of a hidden state’s length, so that the same scale has about the same effect in every
        layer.
      </p>
      <HeldOutPairsChart texts={texts} judgement={judgement} />
      <form className="read-vector-keep" onSubmit={keep}>
        <label htmlFor={id}>Name</label>
        <input
          id={id}
          className="field"
          value={name}
          maxLength={steeringVectorLimits.nameLength}
          placeholder="cheerful"
          aria-invalid={problem !== null}
          onChange={({ target }) => {
            setName(target.value);
            setProblem(null);
          }}
        />
        <Button type="submit" weight="primary">
          Save vector
        </Button>
        {problem !== null && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
      </form>
    </section>
  );
}
