/** The settings of the answer, each with its error. */
import { useId } from "react";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import {
  type AnswerFormatSettings as Answer,
  settingsAllowSeveralCalls,
  toolNames,
} from "../store/answer-settings.ts";
import type { SettingsState } from "../store/settings-store.ts";

export interface AnswerFieldProblems {
  readonly schema: string | null;
  readonly tools: string | null;
}

interface AnswerFieldsProps extends Pick<SettingsState, "changeAnswer"> {
  readonly answer: Answer;
  readonly problems: AnswerFieldProblems;
  /** Whether the loaded model has a switch for thinking first. */
  readonly canThink: boolean;
}

export function AnswerFields({ answer, problems, canThink, changeAnswer }: AnswerFieldsProps) {
  return (
    <div className="answer-fields">
      {(canThink || answer.thinking !== "auto") && (
        <ChoiceRow
          label="Thinking"
          name="Whether the model thinks before it answers"
          value={answer.thinking}
          options={[
            { value: "auto", label: "Default" },
            { value: "on", label: "On" },
            { value: "off", label: "Off" },
          ]}
          onChange={(thinking) => changeAnswer({ thinking })}
        />
      )}
      <ChoiceRow
        label="Format"
        name="Format of the answer"
        value={answer.format}
        options={[
          { value: "text", label: "Text" },
          { value: "json", label: "JSON" },
          { value: "schema", label: "JSON Schema" },
        ]}
        onChange={(format) => changeAnswer({ format })}
      />
      {answer.format === "schema" && (
        <JsonField
          label="JSON Schema of the answer"
          value={answer.schema}
          problem={problems.schema}
          does="The answer always conforms to this schema."
          onChange={(schema) => changeAnswer({ schema })}
        />
      )}
      <ChoiceRow
        label="Tools"
        name="Tools"
        value={answer.offersTools ? "on" : "off"}
        options={[
          { value: "off", label: "None" },
          { value: "on", label: "Offer tools" },
        ]}
        onChange={(value) => changeAnswer({ offersTools: value === "on" })}
      />
      {answer.offersTools && (
        <>
          <ToolChoice answer={answer} onChange={(toolChoice) => changeAnswer({ toolChoice })} />
          <ChoiceRow
            label="Tool calls"
            name="Maximum tool calls per answer"
            value={settingsAllowSeveralCalls(answer) ? "several" : "one"}
            options={[
              { value: "several", label: "Several" },
              { value: "one", label: "One" },
            ]}
            onChange={(value) => changeAnswer({ parallelToolCalls: value === "several" })}
          />
          <JsonField
            label="Tools, as a list in JSON"
            value={answer.tools}
            problem={problems.tools}
            does="In the format of OpenAI’s API. The prompt lists the tools, and the model’s calls always conform to their schemas."
            onChange={(tools) => changeAnswer({ tools })}
          />
        </>
      )}
    </div>
  );
}

interface ChoiceRowProps<Value extends string> {
  /** The text beside the choice. */
  readonly label: string;
  /** The choice's name for screen readers. */
  readonly name: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

function ChoiceRow<Value extends string>({ label, name, ...choice }: ChoiceRowProps<Value>) {
  return (
    <div className="answer-row">
      <span className="setting-label" aria-hidden="true">
        {label}
      </span>
      <SegmentedControl label={name} {...choice} />
    </div>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | null;
  readonly does: string;
  readonly onChange: (value: string) => void;
}

function JsonField({ label, value, problem, does, onChange }: JsonFieldProps) {
  const id = useId();
  return (
    <div className="setting">
      <span id={id} className={problem === null ? "setting-does" : "field-error"} aria-live="polite">
        {problem ?? does}
      </span>
      <textarea
        className="field answer-json"
        aria-label={label}
        aria-describedby={id}
        aria-invalid={problem !== null}
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

function ToolChoice({ answer, onChange }: { answer: Answer; onChange: (choice: string) => void }) {
  const names = toolNames(answer);
  const chosen = answer.toolChoice.startsWith(":") ? answer.toolChoice.slice(1) : null;
  return (
    <label className="answer-row">
      <span className="setting-label">Tool choice</span>
      <select
        className="field answer-choice"
        value={answer.toolChoice}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="auto">The model decides</option>
        <option value="required">A tool must be called</option>
        <option value="none">No tool may be called</option>
        {[...new Set(chosen === null ? names : [...names, chosen])].map((name) => (
          <option key={name} value={`:${name}`}>
            {name} must be called
          </option>
        ))}
      </select>
    </label>
  );
}
