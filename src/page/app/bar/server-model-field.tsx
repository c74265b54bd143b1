/** Which model a server runs: the page reads tokenizer and chat template from that model's folder, and no weights. */
import { useId, useState } from "react";
import { useStore } from "zustand";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type { PickedFiles } from "../../../runtime/session/page-side/available-weights.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import type { ModelReference } from "../../../runtime/session/shared/protocol.ts";
import { parseModelReference } from "../store/model-address.ts";
import { findModelInFolder } from "../store/picked-folder.ts";
import { useStores } from "../store/stores.ts";
import { FolderButton } from "./folder-button.tsx";

export interface ChosenModelFolder {
  readonly reference: ModelReference;
  /** The files of a folder on this disk. */
  readonly files?: PickedFiles;
}

/** The value of the choice for a model that the list lacks. */
const other = "other";

/** The state of the field, and the folder that it names; null while nothing usable is chosen. */
export function useServerModelField(catalog: readonly CatalogEntry[]) {
  const { model } = useStores();
  const choice = useStore(model, (state) => state.choice?.reference ?? null);
  const [listed, setListed] = useState<string | null>(null);
  const [text, setText] = useState(() => (choice?.server === undefined ? "" : choice.id));
  const [picked, setPicked] = useState<ChosenModelFolder | string | null>(null);
  const value = listed ?? startOf(catalog, choice);
  const entry = catalog.find(({ reference }) => reference.url === value);
  const outside = picked ?? typedFolder(text);
  const folder = entry ? { reference: entry.reference } : outside;
  return {
    folder: typeof folder === "string" ? null : folder,
    problem: typeof folder === "string" ? folder : null,
    value: entry ? value : other,
    text:
      picked !== null && typeof picked !== "string"
        ? `Folder ${showInvisibleCharacters(picked.reference.id)}`
        : text,
    setListed,
    setText(changed: string) {
      setPicked(null);
      setText(changed);
    },
    setPicked,
  };
}

/** Null for an empty text; a sentence for a text that names no folder. */
function typedFolder(text: string): ChosenModelFolder | string | null {
  if (text.trim() === "") return null;
  const reference = parseModelReference(text, document.baseURI);
  return typeof reference === "string" ? reference : { reference };
}

interface ServerModelFieldProps {
  readonly catalog: readonly CatalogEntry[];
  readonly chosen: ReturnType<typeof useServerModelField>;
}

export function ServerModelField({ catalog, chosen }: ServerModelFieldProps) {
  const { problem, value, text, setListed, setText, setPicked } = chosen;
  const id = useId();
  return (
    <>
      <label htmlFor={id}>Model on the server</label>
      <select
        id={id}
        className="field"
        value={value}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => setListed(target.value)}
      >
        {catalog.map(({ title, reference }) => (
          <option key={reference.url} value={reference.url}>
            {showInvisibleCharacters(title)}
          </option>
        ))}
        <option value={other}>Another model</option>
      </select>
      {value === other && <OtherFolder text={text} onText={setText} onPick={setPicked} />}
      <p id={`${id}-note`} className={problem ? "field-error" : "other-note"}>
        {problem ??
          "Only the tokenizer and the chat template are read from this model’s folder, not the weights."}
      </p>
    </>
  );
}

/** The list begins with the chosen model, or with the first one. */
function startOf(catalog: readonly CatalogEntry[], choice: ModelReference | null): string {
  if (catalog.some(({ reference }) => reference.url === choice?.url)) return choice?.url ?? other;
  return choice?.server === undefined ? (catalog[0]?.reference.url ?? other) : other;
}

interface OtherFolderProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onPick: (picked: ChosenModelFolder | string) => void;
}

function OtherFolder({ text, onText, onPick }: OtherFolderProps) {
  return (
    <div className="own-server-folder">
      <input
        className="field"
        aria-label="Hugging Face id or address of the model"
        placeholder="owner/name"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onText(target.value)}
      />
      <FolderButton
        label="The server model’s folder on this disk"
        onPick={(files) => onPick(findModelInFolder(files))}
      />
    </div>
  );
}
