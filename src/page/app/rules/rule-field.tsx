/** One field of a rule, with its label, its hint and the error of its value. */
import { useId, useState } from "react";
import type { FieldValue, RuleField } from "./rule.ts";
import { formatFieldValue, parseFieldValue } from "./rules-form.ts";

interface RuleFieldProps {
  readonly field: RuleField;
  readonly value: FieldValue | undefined;
  readonly problem: string | null;
  readonly onChange: (value: FieldValue) => void;
}

export function RuleFieldInput({ field, value, problem, onChange }: RuleFieldProps) {
  const { type, label, hint, placeholder } = field;
  const [text, setText] = useState(formatFieldValue(field, value));
  const id = useId();
  const aboutId = `${id}-about`;
  const change = (typed: string) => {
    setText(typed);
    onChange(parseFieldValue(field, typed));
  };
  const about = problem ?? hint;
  const shared = {
    id,
    value: text,
    "aria-invalid": problem !== null,
    "aria-describedby": about === undefined ? undefined : aboutId,
  };
  const isNumber = type === "count" || type === "probability";
  return (
    <div className="rule-field">
      <label htmlFor={id}>{label}</label>
      {isNumber ? (
        <span className="rule-number">
          <input
            {...shared}
            className="field field-number"
            inputMode="decimal"
            onChange={({ target }) => change(target.value)}
          />
          {type === "probability" && <span aria-hidden="true">%</span>}
        </span>
      ) : (
        <textarea
          {...shared}
          className="field rule-text"
          rows={type === "words" ? 3 : 1}
          spellCheck={false}
          placeholder={placeholder}
          onChange={({ target }) => change(target.value)}
        />
      )}
      {about !== undefined && (
        <p id={aboutId} className={problem === null ? "rule-hint" : "field-error"}>
          {about}
        </p>
      )}
    </div>
  );
}
