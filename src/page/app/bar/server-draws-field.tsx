/** Whether the server may draw a token with its own random numbers. */
import { useId } from "react";

interface ServerDrawsFieldProps {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

export function ServerDrawsTokensField({ value, onChange }: ServerDrawsFieldProps) {
  const id = useId();
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={value}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => onChange(target.checked)}
        />
        When a draw falls outside the server’s top-k list, let the server draw the token
      </label>
      <p id={`${id}-note`} className="other-note">
        If off, the seed alone decides every token, but a token outside the list takes about a second; on vLLM
        and SGLang, such a token ends the run.
      </p>
    </>
  );
}
