/** Puts an example of the gallery into the editor, by its name. Fetched late, with all examples. */
import { examples } from "../../examples/index.ts";
import type { Stores } from "./stores.ts";
import { loadExampleIntoEditor } from "./take-example.ts";

export function loadNamedExample(stores: Stores, name: string): void {
  const example = examples.find((each) => each.name === name);
  if (!example) throw new Error(`The gallery has no example ${name}.`);
  loadExampleIntoEditor(stores, example);
}
