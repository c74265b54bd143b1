/** One vector: its metadata, its measured effect if there is one, and the actions on it. */
import { useMemo } from "react";
import { useStore } from "zustand";
import { steeringVector } from "../../../core/sdk/steering-vector.ts";
import {
  explainModelMismatch,
  type VectorWithMetadata,
  vectorNameOf,
} from "../../../core/vectors/known-vector.ts";
import type { MeasuredEffect } from "../../../core/vectors/library/example.ts";
import { vectorNorm } from "../../../core/vectors/make-vector.ts";
import type { VectorTexts } from "../../../core/vectors/text-states.ts";
import { Button } from "../../../view/ui/button.tsx";
import { CopyButton } from "../../../view/ui/copy-button.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import { useStores } from "../store/stores.ts";

interface VectorCardProps {
  readonly vector: VectorWithMetadata;
  /** The metadata of an example. */
  readonly about?: { readonly does: string; readonly breaks: string; readonly effect: MeasuredEffect };
  readonly onInsert: (vector: VectorWithMetadata) => void;
  readonly onNewMod: (vector: VectorWithMetadata) => void;
  readonly onSave: (vector: VectorWithMetadata) => void;
  readonly onMake: (texts: VectorTexts) => void;
  /** Present only for a saved vector of the user. */
  readonly onDelete?: () => void;
}

export function VectorCard({ vector, about, onInsert, onNewMod, onSave, onMake, onDelete }: VectorCardProps) {
  const { mods, model } = useStores();
  const open = useStore(mods, (state) => state.mods.find(({ id }) => id === state.active));
  const choice = useStore(model, (state) => state.choice);
  const read = useMemo(() => steeringVector(vector.text), [vector.text]);
  const name = vectorNameOf(read);
  const { layerCount, hiddenSize, id } = vector.model;
  // For the examples, the reason is shown once above all of them.
  const whyNot = about ? null : explainModelMismatch(vector, choice?.reference ?? null);
  const act = (close: () => void, action: () => void) => () => {
    close();
    action();
  };
  return (
    <article className="vector" aria-label={name}>
      <header className="vector-head">
        <h4>{name}</h4>
        <Button
          title={
            open
              ? `Adds the vector, and the code that steers with it, to ${open.name}`
              : "Makes a mod that steers with this vector"
          }
          onClick={() => onInsert(vector)}
        >
          {open ? "Insert into the mod" : "Steer with this vector"}
        </Button>
        <Popover
          label={name}
          buttonLabel={`More actions for ${name}`}
          className="button button-quiet button-icon"
          trigger={<Icon name="more" />}
          align="end"
        >
          {(close) => (
            <div className="menu">
              <button type="button" onClick={act(close, () => onNewMod(vector))}>
                New mod with this vector
              </button>
              <button type="button" onClick={act(close, () => onSave(vector))}>
                Save as a file
              </button>
              <button type="button" onClick={act(close, () => onMake(vector.texts))}>
                Make a new vector from these texts
              </button>
              {onDelete && (
                <button type="button" onClick={act(close, onDelete)}>
                  Delete
                </button>
              )}
            </div>
          )}
        </Popover>
      </header>
      {about && <p className="vector-does">{about.does}</p>}
      <dl className="vector-facts">
        <VectorDetail term="Layer" value={`${read.layer} (0 to ${layerCount - 1})`} />
        <VectorDetail
          term="Length (norm)"
          value={vectorNorm(read.vector).toPrecision(3)}
          title={`A hidden state in this layer has a norm of about ${vector.stream.toPrecision(3)}`}
        />
        <VectorDetail
          term="Texts"
          value={`${vector.texts.toward.length} toward, ${vector.texts.away.length} away`}
          title={`${Math.round(vector.share * 100)}% of the held-out texts fell on their own side`}
        />
        {!about && (
          <VectorDetail
            term="Model"
            value={id.split("/").at(-1) ?? id}
            title={`${id}, whose hidden states have ${countWithNoun(hiddenSize, "number")}`}
          />
        )}
      </dl>
      {about && <Effect effect={about.effect} />}
      {about && (
        <p className="vector-breaks">
          <b>Limits:</b> {about.breaks}
        </p>
      )}
      {whyNot && <p className="vector-why-not">{whyNot}</p>}
      <CopyButton label="Copy the vector as text" text={() => vector.text} />
    </article>
  );
}

function VectorDetail({
  term,
  value,
  title,
}: {
  readonly term: string;
  readonly value: string;
  readonly title?: string;
}) {
  return (
    <div title={title}>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** A table row with the counts at each scale. */
function Effect({ effect }: { readonly effect: MeasuredEffect }) {
  return (
    <table className="vector-effect">
      <thead>
        <tr>
          <th scope="row">Scale</th>
          {effect.scales.map(({ scale }) => (
            <th scope="col" key={scale}>
              {scale}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{effect.counted}</th>
          {effect.scales.map(({ scale, value }) => (
            <td key={scale}>{value}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}
