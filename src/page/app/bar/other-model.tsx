/**
 * Chooses a model that is not in the list: a Hugging Face id, the address of a folder, or a folder on this disk. The user
 * sees the available weights of the model before it is loaded.
 */
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import {
  type AvailableWeights,
  availableWeights,
  type PickedFiles,
} from "../../../runtime/session/page-side/available-weights.ts";
import type { ModelReference } from "../../../runtime/session/shared/protocol.ts";
import { Button } from "../../../view/ui/button.tsx";
import type { HubTokenState } from "../store/hub-token-store.ts";
import { parseModelReference } from "../store/model-address.ts";
import { filesOfEntries, findModelInFolder, type PathFile } from "../store/picked-folder.ts";
import { useStores } from "../store/stores.ts";
import { FolderButton } from "./folder-button.tsx";
import { HubTokenField } from "./hub-token-field.tsx";
import { WeightsList } from "./weights-list.tsx";
import "../../../view/ui/form.css";

interface Found {
  readonly reference: ModelReference;
  readonly files: PickedFiles | undefined;
  readonly available: AvailableWeights;
}

interface OtherModelProps {
  /** The entries dropped on the panel. */
  readonly dropped: readonly FileSystemEntry[] | null;
  readonly onChosen: () => void;
}

const note =
  "Type a Hugging Face id or the address of a model folder. The model needs ONNX files like those of onnx-community. You can also drop a folder here.";

export function OtherModelForm({ dropped, onChosen }: OtherModelProps) {
  const { model, hubToken } = useStores();
  const { choice, choose } = useStore(model);
  const [text, setText] = useState("");
  const { found, words, isFaulty, check, forget } = useModelCheck(hubToken);
  const id = useId();
  useEffect(() => {
    if (dropped) void check(async () => findModelInFolder(await filesOfEntries(dropped)));
  }, [dropped, check]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void check(async () => {
      const reference = parseModelReference(text, location.href);
      return typeof reference === "string" ? reference : { reference, files: undefined };
    });
  };
  const pick = (files: readonly PathFile[]) => void check(async () => findModelInFolder(files));
  return (
    <form className="other-model" onSubmit={submit}>
      <label htmlFor={id}>Another model</label>
      <div>
        <input
          id={id}
          className="field"
          placeholder="owner/name"
          value={text}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={isFaulty}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => {
            setText(target.value);
            forget();
          }}
        />
        <Button type="submit" disabled={text.trim() === ""}>
          Check
        </Button>
        <FolderButton label="A model’s folder on this disk" onPick={pick} />
      </div>
      <p
        id={`${id}-note`}
        className={isFaulty ? "field-error" : "other-note"}
        role={isFaulty ? "alert" : "status"}
      >
        {words ?? note}
      </p>
      <HubTokenField />
      {found && (
        <WeightsList
          available={found.available}
          chosen={found.reference.url === choice?.reference.url ? choice.reference.dtype.webgpu : null}
          isApproximate={false}
          onChoose={({ dtype, isRecommended }) => {
            // The recommended choice has a dtype for each device.
            const both = { webgpu: dtype, wasm: dtype };
            choose(
              { ...found.reference, dtype: (isRecommended && found.available.dtype) || both },
              found.files,
            );
            onChosen();
          }}
        />
      )}
    </form>
  );
}

/** Reads one model at a time: reading another model ends the earlier read. */
function useModelCheck(hubToken: StoreApi<HubTokenState>) {
  const [found, setFound] = useState<Found | null>(null);
  const [words, setWords] = useState<string | null>(null);
  const [isFaulty, setIsFaulty] = useState(false);
  const current = useRef<AbortController | null>(null);
  const [actions] = useState(() => {
    const forget = () => {
      current.current?.abort();
      setFound(null);
      setWords(null);
      setIsFaulty(false);
    };
    const fail = (message: string) => {
      setWords(message);
      setIsFaulty(true);
    };
    const check = async (find: () => Promise<Omit<Found, "available"> | string>): Promise<void> => {
      forget();
      const abort = new AbortController();
      current.current = abort;
      const { signal } = abort;
      setWords("Checking …");
      try {
        const model = await find();
        if (typeof model === "string") return fail(model);
        const available = await availableWeights(model.reference, {
          files: model.files,
          hubAccess: hubToken.getState().access,
          signal,
        });
        if (signal.aborted) return;
        const name = showInvisibleCharacters(model.reference.id);
        const [refused] = available.refused;
        if (available.weights.length === 0) {
          const why = refused
            ? `${showInvisibleCharacters(refused.path)}: ${refused.reason}`
            : "The model has neither onnx/model.onnx nor an ONNX file in another dtype.";
          return fail(`${name} has no weights that run here. ${why}`);
        }
        setWords(`${name} has:`);
        setFound({ ...model, available });
      } catch (error) {
        if (!signal.aborted) fail(messageOf(error));
      }
    };
    return { check, forget };
  });
  useEffect(() => () => current.current?.abort(), []);
  return { found, words, isFaulty, ...actions };
}
