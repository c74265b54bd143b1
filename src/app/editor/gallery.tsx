/** Mods to begin with. Choosing one copies it into the editor, and offers its prompt and settings. */
import { type Example, examples } from "../../examples/index.ts";
import { useStores } from "../store/stores.ts";
import { takeExample } from "../store/take-example.ts";
import { Dialog } from "../ui/dialog.tsx";

export function Gallery({ onClose }: { onClose: () => void }) {
  const stores = useStores();
  const groups = [
    { title: "On the bundled story model", of: "bundled" },
    { title: "On an instruct model", of: "instruct" },
  ] as const;
  const take = (example: Example) => {
    takeExample(stores, example);
    onClose();
  };
  return (
    <Dialog title="Add a mod" onClose={onClose} wide>
      {groups.map(({ title, of }) => (
        <section key={of}>
          <h3 className="gallery-title">{title}</h3>
          <ul className="gallery">
            {examples
              .filter(({ model }) => model === of)
              .map((example) => (
                <li key={example.name}>
                  <button type="button" className="gallery-card" onClick={() => take(example)}>
                    <strong>{example.title}</strong>
                    <span>{example.description}</span>
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}
