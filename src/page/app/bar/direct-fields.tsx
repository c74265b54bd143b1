/** Address and key of a server that the page asks directly. */
import { useId } from "react";

export interface DirectServerValues {
  readonly address: string;
  readonly key: string;
  /** The key is saved in this browser. */
  readonly isRemembered: boolean;
}

interface DirectFieldsProps {
  readonly value: DirectServerValues;
  readonly note: string;
  readonly onChange: (value: DirectServerValues) => void;
}

export function DirectServerFields({ value, note, onChange }: DirectFieldsProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={`${id}-address`}>Address</label>
      <input
        id={`${id}-address`}
        className="field"
        placeholder="http://127.0.0.1:9931"
        value={value.address}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange({ ...value, address: target.value })}
      />
      <label htmlFor={`${id}-key`}>Key, if the server asks for one</label>
      <input
        id={`${id}-key`}
        className="field"
        type="password"
        autoComplete="off"
        value={value.key}
        onChange={({ target }) => onChange({ ...value, key: target.value.trim() })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={value.isRemembered}
          onChange={({ target }) => onChange({ ...value, isRemembered: target.checked })}
        />
        Remember the key in this browser
      </label>
      <p id={`${id}-note`} className="other-note">
        {note}
      </p>
    </>
  );
}
