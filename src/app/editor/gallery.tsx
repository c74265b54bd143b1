/** Mods to begin with, in groups, with a field that finds them. Choosing one copies it into the editor, with its prompt and settings. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { type Example, exampleGroups } from "../../examples/index.ts";
import { useStores } from "../store/stores.ts";
import { takeExample } from "../store/take-example.ts";
import { Dialog } from "../ui/dialog.tsx";
import { plural } from "../ui/format.ts";
import { findExamples } from "./find-examples.ts";
import "./gallery.css";

export function Gallery({ onClose }: { onClose: () => void }) {
  const stores = useStores();
  const [wanted, setWanted] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // After the dialog has opened, which puts the focus on its first button.
  useEffect(() => field.current?.focus(), []);
  const take = (example: Example) => {
    takeExample(stores, example);
    onClose();
  };
  const groups = findExamples(exampleGroups, wanted);
  const count = groups.reduce((sum, { examples }) => sum + examples.length, 0);
  const takeFirst = (event: KeyboardEvent) => {
    const first = groups[0]?.examples[0];
    if (event.key !== "Enter" || event.nativeEvent.isComposing || wanted.trim() === "" || !first) return;
    event.preventDefault();
    take(first);
  };
  return (
    <Dialog title="Add a mod" onClose={onClose} wide>
      <div className="gallery-search">
        <input
          ref={field}
          type="search"
          className="field"
          aria-label="Find a mod"
          placeholder="Find a mod: JSON, ban, tool, question …"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          onKeyDown={takeFirst}
        />
        <p className="gallery-count" role="status">
          {wanted.trim() === "" ? plural(count, "mod") : `${count} found`}
        </p>
      </div>
      {groups.map(({ title, examples }) => (
        <section key={title} aria-label={title}>
          <h3 className="gallery-title">{title}</h3>
          <ul className="gallery">
            {examples.map((example) => (
              <li key={example.name}>
                <Card example={example} onTake={take} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {count === 0 && (
        <p className="gallery-none">
          No mod has “{wanted.trim()}” in its name or description. Try another word.
        </p>
      )}
    </Dialog>
  );
}

function Card({ example, onTake }: { example: Example; onTake: (example: Example) => void }) {
  return (
    <button type="button" className="gallery-card" onClick={() => onTake(example)}>
      <strong>{example.title}</strong>
      <span>{example.description}</span>
      {example.model === "instruct" && <small>Instruct model</small>}
    </button>
  );
}
