/** The two lists of texts that a vector is made of, and how they are read. */
import { useId } from "react";
import { plural } from "../../../view/ui/format.ts";
import { Segmented } from "../../../view/ui/segmented.tsx";
import type { VectorForm } from "./vector-form.ts";

interface TextListsProps {
  readonly values: VectorForm;
  readonly counts: { readonly toward: number; readonly away: number };
  readonly disabled: boolean;
  readonly onChange: (changes: Partial<VectorForm>) => void;
}

export function TextLists({ values, counts, disabled, onChange }: TextListsProps) {
  return (
    <fieldset className="text-lists" disabled={disabled}>
      <legend className="visually-hidden">Texts</legend>
      <TextList
        label="Toward"
        hint="Texts that have the trait, one on each line: cheerful ones, say."
        value={values.toward}
        count={counts.toward}
        onChange={(toward) => onChange({ toward })}
      />
      <TextList
        label="Away from"
        hint="Similar texts without the trait. Texts on the same line form a pair."
        value={values.away}
        count={counts.away}
        onChange={(away) => onChange({ away })}
      />
      <div className="text-lists-how">
        <Segmented
          label="Which tokens count"
          value={values.tokens}
          options={[
            { value: "last", label: "Last token" },
            { value: "all", label: "All tokens" },
          ]}
          onChange={(tokens) => onChange({ tokens })}
        />
        <Segmented
          label="How the model is given a text"
          value={values.as}
          options={[
            { value: "text", label: "As plain text" },
            { value: "message", label: "As a message to the model" },
          ]}
          onChange={(as) => onChange({ as })}
        />
        <p>
          {values.tokens === "last"
            ? "The last token has read the whole text."
            : "The mean over all tokens: for what shows in every word, such as a language or a tone."}{" "}
          {values.as === "message" && "The last token is then where the answer begins."}
        </p>
      </div>
    </fieldset>
  );
}

interface TextListProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly count: number;
  readonly onChange: (value: string) => void;
}

function TextList({ label, hint, value, count, onChange }: TextListProps) {
  const id = useId();
  return (
    <div className="text-list">
      <label htmlFor={id}>{label}</label>
      <span className="text-list-count">{plural(count, "text")}</span>
      <textarea
        id={id}
        rows={8}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <p id={`${id}-hint`} className="text-list-hint">
        {hint}
      </p>
    </div>
  );
}
