/** Which tokens the server may draw with its own random numbers. */
import { NotedCheckbox } from "./noted-checkbox.tsx";

/** False: none; true: those outside the list; `"always"`: each token of a run with a temperature, on llama.cpp. */
export type ServerDraws = boolean | "always";

interface ServerDrawsFieldProps {
  readonly value: ServerDraws;
  readonly onChange: (value: ServerDraws) => void;
}

export function ServerDrawsTokensField({ value, onChange }: ServerDrawsFieldProps) {
  return (
    <>
      <NotedCheckbox
        label="When random sampling falls outside the server’s top-k list, let the server sample the token"
        note="If off, the seed alone decides every token, but a token outside the list takes about a second; on vLLM and SGLang, such a token ends the run."
        checked={value !== false}
        onChange={onChange}
      />
      <NotedCheckbox
        label="Let llama.cpp draw every token at temperatures above 0"
        note="Faster, because the stream is not interrupted at each draw. The seed then has no effect, and each token is marked as drawn by the server."
        checked={value === "always"}
        onChange={(isOn) => onChange(isOn ? "always" : true)}
      />
    </>
  );
}
