/** The vectors of the user and of the library, and the form for a new vector. */
import { useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { steeringVector } from "../../../core/sdk/steering-vector.ts";
import {
  explainModelMismatch,
  type VectorWithMetadata,
  vectorNameOf,
} from "../../../core/vectors/known-vector.ts";
import { vectorExamples } from "../../../core/vectors/library/index.ts";
import type { VectorTexts } from "../../../core/vectors/text-states.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { FileButton } from "../../../view/ui/file-button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import type { PageActions } from "../page-actions.ts";
import { useStores } from "../store/stores.ts";
import { useInstructModel } from "../store/use-instruct-model.ts";
import { MakeVector } from "./make-vector.tsx";
import { importVector, insertVectorIntoMod, saveVectorFile, steerWithNewMod } from "./vector-actions.ts";
import { VectorCard } from "./vector-card.tsx";
import { emptyVectorForm, storedVectorForm, type VectorForm } from "./vector-form.ts";
import { type SavedVector, vectorLibraryOf } from "./vector-library.ts";
import "./vectors.css";

interface VectorsDialogProps {
  readonly actions: PageActions;
  readonly onClose: () => void;
}

export function VectorsDialog({ actions, onClose }: VectorsDialogProps) {
  const [making, setMaking] = useState<VectorForm | null>(null);
  const [justSaved, setJustSaved] = useState<string | null>(null);
  const stores = useStores();
  if (making)
    return (
      <MakeVector
        first={making}
        onBack={() => setMaking(null)}
        onClose={onClose}
        onMade={(vector) => {
          setJustSaved(vectorLibraryOf(stores).getState().add(vector).id);
          storedVectorForm(stores).save(emptyVectorForm);
          setMaking(null);
        }}
      />
    );
  return (
    <VectorList
      actions={actions}
      onClose={onClose}
      justSaved={justSaved}
      onMake={(texts) =>
        setMaking(texts ? draftOf(texts) : (storedVectorForm(stores).load() ?? emptyVectorForm))
      }
    />
  );
}

const draftOf = ({ toward, away, ...how }: VectorTexts): VectorForm => ({
  ...how,
  toward: toward.join("\n"),
  away: away.join("\n"),
});

interface VectorListProps extends VectorsDialogProps {
  /** Id of the vector that was saved last. */
  readonly justSaved: string | null;
  readonly onMake: (texts?: VectorTexts) => void;
}

function VectorList({ actions, onClose, justSaved, onMake }: VectorListProps) {
  const stores = useStores();
  const library = vectorLibraryOf(stores);
  const { vectors } = useStore(library);
  const [problem, setProblem] = useState<string | null>(null);
  const [opened, setOpened] = useState(justSaved);
  const [deleted, setDeleted] = useState<{ readonly name: string; readonly undo: () => void } | null>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (opened !== null)
      list.current?.querySelector<HTMLElement>(`[data-vector="${opened}"] button`)?.focus();
  }, [opened]);
  const choose = (file: File) => {
    setProblem(null);
    importVector(file, library.getState()).then(
      ({ id }) => setOpened(id),
      (cause: unknown) => setProblem(messageOf(cause)),
    );
  };
  const remove = ({ id, vector }: SavedVector) => {
    const undo = library.getState().remove(id);
    const name = vectorNameOf(steeringVector(vector.text));
    setDeleted({
      name,
      undo() {
        undo();
        setDeleted(null);
        setOpened(id);
      },
    });
  };
  const act = (action: typeof insertVectorIntoMod) => (vector: VectorWithMetadata) => {
    onClose();
    action(stores, vector, actions);
  };
  const uses = {
    onInsert: act(insertVectorIntoMod),
    onNewMod: act(steerWithNewMod),
    onSave: saveVectorFile,
    onMake,
  };
  return (
    <Dialog
      title="Steering vectors"
      onClose={onClose}
      wide
      footer={
        <>
          <FileButton label="Vector file" accept=".json" onChoose={choose}>
            Open a file …
          </FileButton>
          <Button weight="primary" icon="plus" onClick={() => onMake()}>
            Make a vector
          </Button>
        </>
      }
    >
      <p className="vectors-lead">
        A vector is a direction inside a model. A mod that adds a vector steers what the model writes toward
        one list of texts and away from another, without a word in the prompt.
      </p>
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      {/* The page's notices lie behind the dialog. */}
      <div role="status">
        {deleted && (
          <p className="vectors-deleted">
            {deleted.name} was deleted.
            <Button onClick={deleted.undo}>Undo</Button>
          </p>
        )}
      </div>
      <section aria-label="Your vectors">
        <h3 className="vectors-title">Your vectors</h3>
        {vectors.length === 0 ? (
          <p className="vectors-none">
            There are no vectors yet. Make a vector from two lists of texts, or use an example.
          </p>
        ) : (
          <ul className="vectors" ref={list}>
            {vectors.map((each) => (
              <li key={each.id} data-vector={each.id} data-new={each.id === opened}>
                <VectorCard {...uses} vector={each.vector} onDelete={() => remove(each)} />
              </li>
            ))}
          </ul>
        )}
        <p className="visually-hidden" role="status">
          {vectors
            .filter(({ id }) => id === opened)
            .map(({ vector }) => `${vectorNameOf(steeringVector(vector.text))} was saved.`)}
        </p>
      </section>
      <section aria-label="Examples">
        <h3 className="vectors-title">Examples, made on SmolLM2 135M Instruct</h3>
        <ExamplesNote />
        <ul className="vectors">
          {vectorExamples.map(({ vector, ...about }) => (
            <li key={vector.text}>
              <VectorCard {...uses} vector={vector} about={about} />
            </li>
          ))}
        </ul>
      </section>
    </Dialog>
  );
}

/** If another model is chosen: says that the examples have no effect on it, and offers to choose their model. */
function ExamplesNote() {
  const { model } = useStores();
  const choice = useStore(model, (state) => state.choice);
  const instruct = useInstructModel();
  const [first] = vectorExamples;
  const chosen = choice?.reference ?? null;
  if (!first || !chosen || explainModelMismatch(first.vector, chosen) === null) return null;
  const isTheirs = instruct && explainModelMismatch(first.vector, instruct.reference) === null;
  const load = () => {
    if (instruct) model.getState().choose(instruct.reference);
    void model.getState().load();
  };
  return (
    <p className="vectors-note">
      {`These vectors work only in ${first.vector.model.id}, but ${chosen.id} is selected.`}{" "}
      {isTheirs && (
        <Button onClick={load}>
          Load {instruct.title}
          {instruct.origin === "hub" && ` (${formatBytes(instruct.downloadBytes)})`}
        </Button>
      )}
    </p>
  );
}
