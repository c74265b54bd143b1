/** The prompts of a new experiment: written, or from a text file. */
import { messageOf } from "../../../core/base/message-of.ts";
import { FileButton } from "../../../view/ui/file-button.tsx";
import { useStores } from "../store/stores.ts";
import { Field } from "./field.tsx";
import { type ExperimentFormValues, nonEmptyLines } from "./form-values.ts";

export interface ExperimentFormPartProps {
  readonly values: ExperimentFormValues;
  readonly change: (changes: Partial<ExperimentFormValues>) => void;
}

export function PromptsField({ values, change }: ExperimentFormPartProps) {
  const { notices } = useStores();
  const read = async (chosen: File) => {
    try {
      if (chosen.size > 4_000_000)
        throw new Error(`The file has ${chosen.size} bytes; the limit is 4,000,000: use fewer prompts.`);
      change({ prompts: nonEmptyLines(await chosen.text()).join("\n") });
    } catch (cause) {
      notices.getState().fail(`${chosen.name} could not be read. ${messageOf(cause)}`);
    }
  };
  return (
    <Field
      label="Prompts, one per line"
      hint="Each prompt replaces the last user turn; the other turns stay as in the editor."
    >
      {(id, hint) => (
        <>
          <textarea
            id={id}
            aria-describedby={hint}
            className="field experiment-prompts"
            rows={5}
            spellCheck={false}
            value={values.prompts}
            onChange={({ target }) => change({ prompts: target.value })}
          />
          <FileButton
            weight="quiet"
            label="Prompt file"
            accept=".txt,text/plain"
            onChoose={(chosen) => void read(chosen)}
          >
            From a text file
          </FileButton>
        </>
      )}
    </Field>
  );
}
