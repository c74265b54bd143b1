/** What the answer has to be: a response format, and tools that the model may call. Folded to a summary until opened. */
import { useEffect, useId, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../base/message-of.ts";
import { Segmented } from "../../ui/segmented.tsx";
import {
  type AnswerSettings as Answer,
  type AnswerFields,
  readAnswer,
  toolNames,
} from "../store/answer-settings.ts";
import { useStores } from "../store/stores.ts";
import { FoldedSettings } from "./folded-settings.tsx";

export function AnswerSettings() {
  const { settings } = useStores();
  const answer = useStore(settings, (state) => state.answer);
  const { changeAnswer } = settings.getState();
  const problems = useProblems(answer);
  const hasProblem = problems.schema !== null || problems.tools !== null;
  return (
    <FoldedSettings
      className="answer"
      title="Answer"
      summary={hasProblem ? "needs a correction" : summaryOf(answer)}
    >
      <div className="answer-fields">
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
            does="The answer is valid against it, whatever the model would like to say."
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
              label="Calls"
              name="Calls in one answer"
              value={answer.parallelToolCalls ? "several" : "one"}
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
              does="As OpenAI’s API has them. The model reads them in its prompt, and its calls keep to the schemas."
              onChange={(tools) => changeAnswer({ tools })}
            />
          </>
        )}
      </div>
    </FoldedSettings>
  );
}

interface ChoiceRowProps<Value extends string> {
  /** What is shown beside the choice. */
  readonly label: string;
  /** What a screen reader calls the choice. */
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
      <Segmented label={name} {...choice} />
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
        <option value="required">Some tool must be called</option>
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

/** A schema is checked so many milliseconds after the last key. */
const CHECK_AFTER_MS = 250;

interface Problems {
  readonly schema: string | null;
  readonly tools: string | null;
}

/**
 * What is wrong with the settings while the user types: JSON is checked at every key, a schema once CHECK_AFTER_MS have
 * passed without one.
 */
function useProblems(answer: Answer): Problems {
  const { engine } = useStores();
  const [checked, setChecked] = useState<Problems>({ schema: null, tools: null });
  const read = readAnswer(answer);
  const text = JSON.stringify(read);
  useEffect(() => {
    let isOld = false;
    const current = JSON.parse(text) as typeof read;
    const check = async (fields: AnswerFields) => {
      const { responseFormat = null, tools, toolChoice } = fields;
      const [schema, offered] = await Promise.all([
        responseFormat && engine.answerFormatProblem({ responseFormat }),
        (tools?.length ?? 0) > 0 || toolChoice !== "auto"
          ? engine.answerFormatProblem(tools ? { tools, ...(toolChoice && { toolChoice }) } : {})
          : null,
      ]);
      if (!isOld) setChecked({ schema, tools: offered });
    };
    const timer = setTimeout(() => {
      if (current.ok) {
        check(current.fields).catch((cause: unknown) => {
          if (!isOld) setChecked({ schema: messageOf(cause), tools: messageOf(cause) });
        });
      }
    }, CHECK_AFTER_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text, engine]);
  if (read.ok) return checked;
  return { schema: null, tools: null, [read.field]: read.problem };
}

function summaryOf(answer: Answer): string {
  const format = { text: "free text", json: "a JSON object", schema: "by a JSON Schema" }[answer.format];
  if (!answer.offersTools) return format;
  const names = toolNames(answer);
  const count = names.length === 1 ? (names[0] ?? "") : `${names.length} tools`;
  const chosen = answer.toolChoice.startsWith(":") ? answer.toolChoice.slice(1) : null;
  const choice = {
    auto: `${format}, or a call of ${count}`,
    required: `a call of ${count}`,
    none: `${format}, ${count} not offered`,
  };
  return chosen === null
    ? (choice[answer.toolChoice as keyof typeof choice] ?? choice.auto)
    : `a call of ${chosen}`;
}
