/** The checks of each answer: up to eight. */
import { useId } from "react";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { findCheckProblem } from "../../experiments/checks.ts";
import { type Check, experimentLimits } from "../../experiments/experiment.ts";

interface ChecksFieldProps {
  readonly checks: readonly Check[];
  readonly onChange: (checks: readonly Check[]) => void;
}

const kinds = [
  { type: "text", label: "contains this text" },
  { type: "regex", label: "matches a regular expression" },
  { type: "schema", label: "matches a JSON schema" },
  { type: "function", label: "passes a check function" },
] as const;

export function ChecksField({ checks, onChange }: ChecksFieldProps) {
  return (
    <fieldset className="experiment-field">
      <legend>Checks on every answer</legend>
      {checks.map((check, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a check has nothing else by which it could be told
        <div key={at} className="experiment-check">
          <CheckField
            check={check}
            number={at + 1}
            onChange={(changed) => onChange(checks.with(at, changed))}
          />
          <IconButton
            icon="close"
            label={`Remove check ${at + 1}`}
            onClick={() => onChange(checks.toSpliced(at, 1))}
          />
        </div>
      ))}
      {checks.length < experimentLimits.checks && (
        <Button
          weight="quiet"
          icon="plus"
          onClick={() =>
            onChange([...checks, { name: "contains this text", type: "text", text: "", ignoreCase: true }])
          }
        >
          Add a check
        </Button>
      )}
    </fieldset>
  );
}

interface CheckFieldProps {
  readonly check: Check;
  readonly number: number;
  readonly onChange: (check: Check) => void;
}

function CheckField({ check, number, onChange }: CheckFieldProps) {
  const id = useId();
  const text = textOf(check);
  const problem = text === "" ? null : findCheckProblem(check);
  const isLong = check.type === "schema" || check.type === "function";
  const shared = {
    "aria-label": `What check ${number} looks for`,
    "aria-invalid": problem !== null,
    "aria-describedby": problem === null ? undefined : id,
    className: `field${check.type === "text" ? "" : " experiment-code"}`,
    spellCheck: false,
    value: text,
  };
  return (
    <div className="experiment-check-fields">
      <select
        className="field"
        aria-label={`Kind of check ${number}`}
        value={check.type}
        onChange={({ target }) => onChange(newCheck(target.value as Check["type"]))}
      >
        {kinds.map(({ type, label }) => (
          <option key={type} value={type}>
            {label}
          </option>
        ))}
      </select>
      {isLong ? (
        <textarea {...shared} rows={4} onChange={({ target }) => onChange(withText(check, target.value))} />
      ) : (
        <input
          {...shared}
          placeholder={check.type === "regex" ? "^Once .*\\.$" : "Lily"}
          onChange={({ target }) => onChange(withText(check, target.value))}
        />
      )}
      {problem !== null && (
        <p id={id} className="field-error">
          {problem}
        </p>
      )}
    </div>
  );
}

function newCheck(type: Check["type"]): Check {
  const name = kinds.find((kind) => kind.type === type)?.label ?? type;
  switch (type) {
    case "text":
      return { name, type, text: "", ignoreCase: true };
    case "regex":
      return { name, type, source: "", flags: "" };
    case "schema":
      return { name, type, schema: '{ "type": "object" }' };
    case "function":
      return { name, type, source: functionExample };
  }
}

const functionExample = `function check(text: string, run: { prompt: string; seed: number }): boolean {
  return text.split(" ").length > 20;
}
`;

function textOf(check: Check): string {
  switch (check.type) {
    case "text":
      return check.text;
    case "regex":
      return check.source;
    case "schema":
      return check.schema;
    case "function":
      return check.source;
  }
}

/** The check with another text, and a name that says it in the head of its column. */
function withText(check: Check, text: string): Check {
  const short = text.length > 24 ? `${text.slice(0, 23)}…` : text;
  switch (check.type) {
    case "text":
      return { ...check, text, name: `contains “${short}”` };
    case "regex":
      return { ...check, source: text, name: `/${short}/` };
    case "schema":
      return { ...check, schema: text };
    case "function":
      return { ...check, source: text };
  }
}
