/** A model that no list names: a Hugging Face id or the address of a folder. */
import { type FormEvent, useId, useState } from "react";
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { referenceFrom, type Weights, weights } from "../store/model-address.ts";
import { useStores } from "../store/stores.ts";
import "../../ui/form.css";

export function OtherModel({ onChosen }: { onChosen: () => void }) {
  const { model } = useStores();
  const { choose } = useStore(model);
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState<Weights>("q4");
  const [error, setError] = useState<string | null>(null);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = referenceFrom(text, wanted, location.href);
    if (typeof found === "string") return setError(found);
    choose(found);
    onChosen();
  };
  return (
    <form className="other-model" onSubmit={submit}>
      <label htmlFor={id}>Another model</label>
      <div>
        <input
          id={id}
          className="field"
          placeholder="owner/name on Hugging Face, or a folder’s address"
          value={text}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={error !== null}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => {
            setText(target.value);
            setError(null);
          }}
        />
        <select
          className="field"
          aria-label="Weights"
          value={wanted}
          onChange={({ target }) => setWanted(weights.find((each) => each === target.value) ?? "q4")}
        >
          {weights.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <Button type="submit" disabled={text.trim() === ""}>
          Use
        </Button>
      </div>
      <p
        id={`${id}-note`}
        className={error ? "field-error" : "other-note"}
        role={error ? "alert" : undefined}
      >
        {error ?? "It needs ONNX files, as the models of onnx-community on Hugging Face have."}
      </p>
    </form>
  );
}
