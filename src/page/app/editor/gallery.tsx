/** Mods to begin with, in groups, with a field that finds them. A card tries its mod with the example prompt, or adds the mod alone. */
import { type KeyboardEvent, useRef, useState } from "react";
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { countWithNoun, formatBytes } from "../../../view/ui/format.ts";
import { useFirstFocus } from "../../../view/ui/use-first-focus.ts";
import { type Example, exampleGroups } from "../../examples/index.ts";
import { isStoryModel } from "../store/model-kind.ts";
import { useStores } from "../store/stores.ts";
import { addBlankMod, addExampleMod, loadExampleIntoEditor } from "../store/take-example.ts";
import { useInstructModel } from "../store/use-instruct-model.ts";
import { DeletedMods } from "./deleted-mods.tsx";
import { findExamples } from "./find-examples.ts";
import "./gallery.css";

interface GalleryProps {
  /** Begins a mod that is written without code. */
  readonly onRules: () => void;
  /** Called when the user has taken a mod: shows the editor, which another pane may cover. */
  readonly onTaken: () => void;
  readonly onClose: () => void;
}

export function Gallery({ onRules, onTaken, onClose }: GalleryProps) {
  const stores = useStores();
  const [query, setQuery] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // After the dialog has opened, which itself puts the focus on its first button.
  useFirstFocus(field);
  const taken = () => {
    onClose();
    onTaken();
  };
  const tryIt = (example: Example) => {
    loadExampleIntoEditor(stores, example);
    taken();
  };
  const add = (example: Example) => {
    addExampleMod(stores, example);
    taken();
  };
  const addBlank = () => {
    addBlankMod(stores);
    taken();
  };
  const choice = useStore(stores.model, (state) => state.choice);
  const kind = choice && !isStoryModel(choice.reference.id) ? "instruct" : "bundled";
  const [isFiltered, setFiltered] = useState(false);
  const groups = findExamples(exampleGroups, query, isFiltered ? kind : null);
  const listed = groups.flatMap(({ examples }) => examples);
  const listedCount = listed.length;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) {
      // Chromium would only empty the field. Firefox closes the dialog.
      event.preventDefault();
      onClose();
      return;
    }
    const first = groups[0]?.examples[0];
    if (event.key !== "Enter" || event.nativeEvent.isComposing || query.trim() === "" || !first) return;
    event.preventDefault();
    tryIt(first);
  };
  return (
    <Dialog title="Examples" onClose={onClose} wide>
      <div className="gallery-search">
        <input
          ref={field}
          type="search"
          className="field"
          aria-label="Find a mod"
          placeholder="Find a mod: JSON, ban, tool"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <p className="gallery-count" role="status">
          {query.trim() === "" ? countWithNoun(listedCount, "mod") : `${listedCount} found`}
        </p>
      </div>
      <div className="gallery-models">
        <span className="gallery-new">
          <Button icon="plus" onClick={addBlank}>
            Blank mod
          </Button>
          <Button icon="plus" onClick={onRules}>
            Rules without code
          </Button>
        </span>
        <label className="check">
          <input type="checkbox" checked={isFiltered} onChange={() => setFiltered(!isFiltered)} />
          Only mods for the current model
        </label>
        <p>
          “Add” puts a mod into your list. “Try” also sets the prompt and settings, and switches your other
          mods off. Neither starts a run.
        </p>
        {kind === "bundled" && <InstructOffer listed={listed} />}
      </div>
      <DeletedMods onRestored={taken} />
      {groups.map(({ title, examples }) => (
        <section key={title} aria-label={title}>
          <h3 className="gallery-title">{title}</h3>
          <ul className="gallery">
            {examples.map((example) => (
              <li key={example.name}>
                <Card example={example} isStory={kind === "bundled"} onTry={tryIt} onAdd={add} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {listedCount === 0 && (
        <NoneFound wanted={query} onShowAll={isFiltered ? () => setFiltered(false) : null} />
      )}
    </Dialog>
  );
}

interface NoneFoundProps {
  readonly wanted: string;
  /** Shows the mods for other models too; null if they are shown. */
  readonly onShowAll: (() => void) | null;
}

/** Says that no mod is listed; if only the filter hides the found mods, offers to show them. */
function NoneFound({ wanted, onShowAll }: NoneFoundProps) {
  const hidden = findExamples(exampleGroups, wanted).flatMap(({ examples }) => examples).length;
  if (onShowAll === null || hidden === 0) {
    return (
      <p className="gallery-none">
        No mod has “{wanted.trim()}” in its name or description. Try another word.
      </p>
    );
  }
  return (
    <p className="gallery-none">
      No mod for the current model has “{wanted.trim()}” in its name or description.{" "}
      {countWithNoun(hidden, "mod")} for other models {hidden === 1 ? "matches" : "match"}.{" "}
      <Button onClick={onShowAll}>Show mods for all models</Button>
    </p>
  );
}

/** Offers to load a model that follows instructions if some of the listed mods need one. */
function InstructOffer({ listed }: { listed: readonly Example[] }) {
  const { model } = useStores();
  const instruct = useInstructModel();
  const count = listed.filter((each) => each.model === "instruct").length;
  if (!instruct || count === 0) return null;
  const load = () => {
    model.getState().choose(instruct.reference);
    void model.getState().load();
  };
  return (
    <p>
      {count} of these mods {count === 1 ? "needs" : "need"} an instruct model.{" "}
      <Button onClick={load}>
        Load {instruct.title}
        {instruct.origin === "hub" && ` (${formatBytes(instruct.downloadBytes)})`}
      </Button>
    </p>
  );
}

/** Says for which model a mod is, if the mod is not for the current model. */
function OtherModel({ needs, isStory }: { needs: Example["model"]; isStory: boolean }) {
  if (needs === "instruct" && isStory)
    return (
      <small data-needs={needs}>
        Needs an instruct model: the page offers to load one when you try the mod
      </small>
    );
  if (needs === "bundled" && !isStory)
    return <small data-needs={needs}>Written for the built-in story model</small>;
  return null;
}

interface CardProps {
  readonly example: Example;
  /** The current model is the story model. */
  readonly isStory: boolean;
  readonly onTry: (example: Example) => void;
  readonly onAdd: (example: Example) => void;
}

function Card({ example, isStory, onTry, onAdd }: CardProps) {
  const { title, description, model } = example;
  return (
    <article className="gallery-card" aria-label={title}>
      <strong>{title}</strong>
      <span>{description}</span>
      <OtherModel needs={model} isStory={isStory} />
      <div className="gallery-acts">
        <Button aria-label={`Try with its example prompt: ${title}`} onClick={() => onTry(example)}>
          Try with its example prompt
        </Button>
        <Button weight="quiet" aria-label={`Add to my mods: ${title}`} onClick={() => onAdd(example)}>
          Add
        </Button>
      </div>
    </article>
  );
}
