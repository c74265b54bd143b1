/** The access token of Hugging Face, for gated or private models. Folded unless there is a token. */
import { useId, useState } from "react";
import { useStore } from "zustand";
import { useStores } from "../store/stores.ts";

export function HubTokenField() {
  const { hubToken } = useStores();
  const { token, isRemembered, problem, change } = useStore(hubToken);
  const [isOpenAtFirst] = useState(token !== "");
  const id = useId();
  return (
    <details className="hub-token" open={isOpenAtFirst}>
      <summary>Gated and private models</summary>
      <label htmlFor={id}>Hugging Face access token</label>
      <input
        id={id}
        className="field"
        type="password"
        autoComplete="off"
        placeholder="hf_…"
        value={token}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => change(target.value.trim(), isRemembered)}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isRemembered}
          onChange={({ target }) => change(token, target.checked)}
        />
        Remember the token in this browser
      </label>
      <p
        id={`${id}-note`}
        className={problem ? "field-error" : "other-note"}
        role={problem ? "alert" : undefined}
      >
        {problem ??
          "The token is sent only to huggingface.co. Links, traces and saved files never contain it. Accept the model’s terms on its page first."}
      </p>
    </details>
  );
}
