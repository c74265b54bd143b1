/** Makes an experiment from the content of the editor: the mods, prompts, seeds, values of a setting, and checks. */
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { samplingNames } from "../../../core/base/sampling.ts";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import { type Experiment, runCount } from "../../experiments/experiment.ts";
import { settingLabel } from "../../experiments/names.ts";
import { runWithFailureNotice } from "../history/run-with-notice.ts";
import { useStores } from "../store/stores.ts";
import { ChecksField } from "./checks-field.tsx";
import { readEditorRequest, startExperiment } from "./experiment-actions.ts";
import { experimentSizeSentence } from "./experiment-labels.ts";
import { experimentStoresOf } from "./experiments-store.ts";
import { Field } from "./field.tsx";
import { type EditorRequest, type ExperimentFormValues, experimentOfForm } from "./form-values.ts";
import { type ExperimentFormPartProps, PromptsField } from "./prompts-field.tsx";

interface ExperimentFormProps {
  readonly onDone: () => void;
  readonly onClose?: (() => void) | undefined;
}

export function ExperimentForm({ onDone, onClose }: ExperimentFormProps) {
  const stores = useStores();
  const [editor, setEditor] = useState<EditorRequest | null>(null);
  const [values, setValues] = useState<ExperimentFormValues | null>(null);
  useEffect(() => {
    void runWithFailureNotice(stores, async () => {
      const made = await readEditorRequest(stores);
      const count = experimentStoresOf(stores).store.getState().list?.length ?? 0;
      setEditor(made);
      setValues(firstDraft(made, stores.mods.getState().mods, `Experiment ${count + 1}`));
    });
  }, [stores]);
  return (
    <>
      <header className="experiments-head">
        <IconButton icon="previous" label="Back to the experiments" onClick={onDone} />
        <h2>New experiment</h2>
        {onClose && <IconButton icon="close" label="Close the experiments" onClick={onClose} />}
      </header>
      {editor && values && (
        <Form
          editor={editor}
          values={values}
          isFocusedFirst={onClose !== undefined}
          onChange={setValues}
          onStart={(experiment) =>
            void runWithFailureNotice(stores, async () => {
              await startExperiment(stores, experiment);
              onDone();
            })
          }
        />
      )}
    </>
  );
}

function firstDraft(
  editor: EditorRequest,
  mods: readonly { readonly id: string; readonly enabled: boolean }[],
  name: string,
): ExperimentFormValues {
  const last = editor.request.messages.findLast(({ role }) => role === "user");
  const prompt = typeof last?.content === "string" ? last.content.replace(/\s*\n\s*/g, " ") : "";
  const alone = mods.filter(({ enabled }) => enabled).map(({ id }) => id);
  return {
    name,
    without: true,
    alone,
    together: alone.length > 1,
    prompts: prompt,
    seeds: "5",
    setting: "",
    values: "0, 0.5, 1",
    checks: [],
  };
}

interface FormProps {
  readonly editor: EditorRequest;
  readonly values: ExperimentFormValues;
  /** The form takes the focus, because the button that opened it is gone. */
  readonly isFocusedFirst: boolean;
  readonly onChange: (values: ExperimentFormValues) => void;
  readonly onStart: (experiment: Experiment) => void;
}

function Form({ editor, values, isFocusedFirst, onChange, onStart }: FormProps) {
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocusedFirst) name.current?.focus();
  }, [isFocusedFirst]);
  const change = (changes: Partial<ExperimentFormValues>) => onChange({ ...values, ...changes });
  const made = read(values, editor);
  return (
    <form
      className="experiment-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (made.experiment) onStart(made.experiment);
      }}
    >
      <Field label="Name">
        {(id) => (
          <input
            ref={name}
            id={id}
            className="field"
            maxLength={200}
            value={values.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      <ModsField editor={editor} values={values} change={change} />
      <PromptsField values={values} change={change} />
      <Field
        label="Seeds"
        hint="How many seeds, starting with the seed in the bar, or a list of seeds, such as 7, 8, 9. All mods get the same seeds."
      >
        {(id, hint) => (
          <input
            id={id}
            aria-describedby={hint}
            className="field"
            value={values.seeds}
            onChange={({ target }) => change({ seeds: target.value })}
          />
        )}
      </Field>
      <div className="experiment-pair">
        <Field label="Vary a setting">
          {(id) => (
            <select
              id={id}
              className="field"
              value={values.setting}
              onChange={({ target }) => change({ setting: target.value as ExperimentFormValues["setting"] })}
            >
              <option value="">none: as in the editor</option>
              {(["temperature", "maxTokens", ...samplingNames] as const)
                .filter((name, at, all) => all.indexOf(name) === at)
                .map((name) => (
                  <option key={name} value={name}>
                    {settingLabel(name)}
                  </option>
                ))}
            </select>
          )}
        </Field>
        {values.setting !== "" && (
          <Field label="Values to try">
            {(id) => (
              <input
                id={id}
                className="field"
                value={values.values}
                onChange={({ target }) => change({ values: target.value })}
              />
            )}
          </Field>
        )}
      </div>
      <ChecksField checks={values.checks} onChange={(checks) => change({ checks })} />
      <footer className="experiment-start">
        <p role="status" className={made.problem === null ? undefined : "field-error"}>
          {made.problem ?? startLabels(made.experiment, editor)}
        </p>
        <Button type="submit" weight="primary" icon="play" disabled={made.experiment === null}>
          Start
        </Button>
      </footer>
    </form>
  );
}

type Read =
  | { readonly experiment: Experiment; readonly problem: null }
  | { readonly experiment: null; readonly problem: string };

function read(values: ExperimentFormValues, editor: EditorRequest): Read {
  try {
    return { experiment: experimentOfForm(values, editor), problem: null };
  } catch (cause) {
    return { experiment: null, problem: messageOf(cause) };
  }
}

function startLabels(experiment: Experiment, { model }: EditorRequest): string {
  const { sampling } = experiment.settings;
  const isGreedy = experiment.variation?.setting !== "temperature" && sampling.temperature === 0;
  const repeats = isGreedy && experiment.seeds.length > 1;
  return `${experimentSizeSentence({ experiment })} = ${countWithNoun(runCount(experiment), "run")} of ${model}, with the editor’s settings.${
    repeats ? " At temperature 0 every seed gives the same answer: one seed is enough." : ""
  }`;
}

function ModsField({ editor, values, change }: ExperimentFormPartProps & { readonly editor: EditorRequest }) {
  const toggle = (id: string, on: boolean) =>
    change({ alone: on ? [...values.alone, id] : values.alone.filter((each) => each !== id) });
  return (
    <fieldset className="experiment-field">
      <legend>Mods, each tried separately</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={values.without}
          onChange={({ target }) => change({ without: target.checked })}
        />
        Without mods
      </label>
      {editor.mods.map(({ id, name }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={values.alone.includes(id)}
            onChange={({ target }) => toggle(id, target.checked)}
          />
          <span translate="no">{name}</span>
        </label>
      ))}
      {values.alone.length > 1 && (
        <label className="check">
          <input
            type="checkbox"
            checked={values.together}
            onChange={({ target }) => change({ together: target.checked })}
          />
          All of these together
        </label>
      )}
    </fieldset>
  );
}
