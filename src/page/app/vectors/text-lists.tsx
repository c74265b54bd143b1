/** The two lists of texts that a vector is made of, and how they are read. */
import { useId } from "react";
import { countWithNoun } from "../../../view/ui/format.ts";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
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
        hint="Texts with the trait that you want, such as cheerful texts: one per line."
        value={values.toward}
        count={counts.toward}
        onChange={(toward) => onChange({ toward })}
      />
      <TextList
        label="Away from"
        hint="Similar texts without the trait, one per line. Texts on the same line of both lists form a pair."
        value={values.away}
        count={counts.away}
        onChange={(away) => onChange({ away })}
      />
      <div className="text-lists-how">
        <SegmentedControl
          label="Which tokens count"
          value={values.tokens}
          options={[
            { value: "last", label: "Last token" },
            { value: "all", label: "All tokens" },
          ]}
          onChange={(tokens) => onChange({ tokens })}
        />
        <SegmentedControl
          label="How the model reads each text"
          value={values.as}
          options={[
            { value: "text", label: "As plain text" },
            { value: "message", label: "As a message to the model" },
          ]}
          onChange={(as) => onChange({ as })}
        />
        <p>
          {values.tokens === "last"
            ? "Uses the model’s state at the last token, after it has read the whole text."
            : "Uses the mean over all tokens: best for a trait that shows in every word, such as a language or a tone."}{" "}
          {values.as === "message" && "In a message, the last token is the place where the answer begins."}
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
      <span className="text-list-count">{countWithNoun(count, "text")}</span>
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
