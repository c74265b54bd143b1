/** The chosen run: fields for its name, star and tags, the run it branches off, and its actions. */
import { type KeyboardEvent, useId, useState } from "react";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { useStores } from "../store/stores.ts";
import { BranchTree } from "./branch-tree.tsx";
import { oneLine, runName } from "./history-labels.ts";
import type { HistoryRun } from "./history-store.ts";
import { addTag, removeTag, renameRun, setStar } from "./run-actions.ts";

interface RunCardProps {
  readonly run: HistoryRun;
  /** The parent run, if the list has it. */
  readonly origin: RunMetadata | null;
  /** The runs of the branch tree, with the run itself. */
  readonly treeRuns: readonly RunMetadata[];
  /** Id of the run of the page. */
  readonly shown: string | null;
  /** The tags of all runs. */
  readonly tags: readonly string[];
  readonly onOpen: (id: string) => void;
  readonly onCompare: () => void;
  readonly onOpenAgain: () => void;
  readonly onChoose: (id: string) => void;
  readonly onRemove: () => void;
}

export function RunCard({
  run,
  origin,
  treeRuns,
  shown,
  tags,
  onOpen,
  onCompare,
  onOpenAgain,
  onChoose,
  onRemove,
}: RunCardProps) {
  const { id, experiment } = run;
  return (
    <section className="run-card" aria-label="The chosen run">
      {experiment === undefined ? (
        <Marks run={run} tags={tags} onRemove={onRemove} />
      ) : (
        <p className="run-card-from">
          A run of the experiment “{oneLine(experiment)}”. Delete the experiment to delete its runs.
        </p>
      )}
      {treeRuns.length > 1 && <BranchTree treeRuns={treeRuns} shown={shown} onOpen={onOpen} />}
      {origin && run.branch === null && (
        <p className="run-card-from">
          Based on{" "}
          <button type="button" className="link" onClick={() => onChoose(origin.id)}>
            {runName(origin)}
          </button>
        </p>
      )}
      <div className="run-card-actions">
        {id !== shown && <Button onClick={() => onOpen(id)}>Open</Button>}
        <Button onClick={onCompare}>Compare with …</Button>
        <Button
          title="Show this run and load its prompt, mods, settings, seed and model into the editor"
          onClick={onOpenAgain}
        >
          Open with its mods and settings
        </Button>
      </div>
    </section>
  );
}

/** The name, the star and the tags of a run of the user's own. */
function Marks({ run, tags, onRemove }: Pick<RunCardProps, "run" | "tags" | "onRemove">) {
  const stores = useStores();
  const { id, star } = run;
  return (
    <>
      <div className="run-card-title">
        <TitleField run={run} />
        <IconButton
          icon={star ? "starred" : "star"}
          className={star ? "run-starred" : ""}
          label={star ? "Remove the star" : "Star this run"}
          aria-pressed={star}
          onClick={() => void setStar(stores, id, !star)}
        />
        <IconButton icon="trash" label="Delete this run" onClick={onRemove} />
      </div>
      <Tags run={run} all={tags} />
    </>
  );
}

function TitleField({ run }: { run: RunMetadata }) {
  const stores = useStores();
  const [typed, setTyped] = useState<string | null>(null);
  const keep = () => {
    if (typed !== null && typed !== (run.title ?? "")) void renameRun(stores, run.id, typed);
    setTyped(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") keep();
    else if (event.key === "Escape" && typed !== null) setTyped(null);
    else return;
    event.preventDefault();
  };
  return (
    <input
      className="field"
      aria-label="Name of the run"
      placeholder="Name this run"
      maxLength={200}
      value={typed ?? run.title ?? ""}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={keep}
      onKeyDown={onKeyDown}
    />
  );
}

function Tags({ run, all }: { run: RunMetadata; all: readonly string[] }) {
  const stores = useStores();
  const [typed, setTyped] = useState("");
  const list = useId();
  const add = () => {
    if (typed.trim() !== "") void addTag(stores, run.id, typed);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = run.tags.at(-1);
    if (event.key === "Enter" || event.key === ",") add();
    else if (event.key === "Backspace" && typed === "" && last !== undefined)
      void removeTag(stores, run.id, last);
    else return;
    event.preventDefault();
  };
  return (
    <div className="run-card-tags">
      {run.tags.length > 0 && (
        <ul aria-label="Tags">
          {run.tags.map((tag) => (
            <li key={tag} className="run-tag">
              {oneLine(tag)}
              <button
                type="button"
                aria-label={`Remove the tag ${oneLine(tag)}`}
                onClick={() => void removeTag(stores, run.id, tag)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        className="run-card-tag"
        aria-label="Add a tag"
        placeholder="Add a tag"
        maxLength={40}
        list={list}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={add}
        onKeyDown={onKeyDown}
      />
      <datalist id={list}>
        {all
          .filter((tag) => !run.tags.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </div>
  );
}
