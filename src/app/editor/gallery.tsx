/** Mods to begin with. Choosing one copies it into the editor, and offers its prompt and settings. */
import { type Example, exampleGroups } from "../../examples/index.ts";
import { useStores } from "../store/stores.ts";
import { takeExample } from "../store/take-example.ts";
import { Dialog } from "../ui/dialog.tsx";

export function Gallery({ onClose }: { onClose: () => void }) {
  const stores = useStores();
  const take = (example: Example) => {
    takeExample(stores, example);
    onClose();
  };
  return (
    <Dialog title="Add a mod" onClose={onClose} wide>
      {exampleGroups.map(({ title, examples }) => (
        <section key={title}>
          <h3 className="gallery-title">{title}</h3>
          <ul className="gallery">
            {examples.map((example) => (
              <li key={example.name}>
                <button type="button" className="gallery-card" onClick={() => take(example)}>
                  <strong>{example.title}</strong>
                  <span>{example.description}</span>
                  {example.model === "instruct" && <small>Needs an instruct model</small>}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}
