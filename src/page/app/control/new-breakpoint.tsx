/** The form for a new breakpoint: its kind, and the fields of that kind. */
import { type FormEvent, useId, useState } from "react";
import { useStore } from "zustand";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import {
  type BreakpointAction,
  type BreakpointEvent,
  type BreakpointRule,
  breakpointActions,
  breakpointEvents,
} from "../../../runtime/session/shared/breakpoint.ts";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { actionLabels, eventLabels } from "./breakpoint-labels.ts";

const kinds = [
  { type: "text", label: "certain text appears" },
  { type: "probability", label: "an unlikely token is drawn" },
  { type: "action", label: "a mod acts" },
  { type: "event", label: "an event happens" },
] as const;

const emptyRules: Readonly<Record<BreakpointRule["type"], BreakpointRule>> = {
  text: { type: "text", text: "" },
  probability: { type: "probability", below: 0.05 },
  action: { type: "action", action: "any", mod: null },
  event: { type: "event", event: "sampled" },
};

export function NewBreakpoint() {
  const stores = useStores();
  const [rule, setRule] = useState<BreakpointRule>(emptyRules.text);
  const [percent, setPercent] = useState("5");
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const change = (next: BreakpointRule) => {
    setRule(next);
    setProblem(null);
  };
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wanted: BreakpointRule =
      rule.type === "probability" ? { ...rule, below: Number(percent.trim() || Number.NaN) / 100 } : rule;
    const found = stores.breakpoints.getState().add(wanted);
    setProblem(found);
    if (found === null && rule.type === "text") setRule(emptyRules.text);
  };
  const isWrong = { "aria-invalid": problem !== null, "aria-describedby": problem === null ? undefined : id };
  return (
    <form className="breakpoint-new" onSubmit={add} noValidate>
      <label className="breakpoint-kind">
        Pause when
        <select
          className="field"
          value={rule.type}
          onChange={({ target }) => change(emptyRules[target.value as BreakpointRule["type"]])}
        >
          {kinds.map(({ type, label }) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {rule.type === "text" && (
        <input
          className="field breakpoint-whole"
          aria-label="Text in the answer"
          placeholder="Lily"
          spellCheck={false}
          value={rule.text}
          onChange={({ target }) => change({ type: "text", text: target.value })}
          {...isWrong}
        />
      )}
      {rule.type === "probability" && (
        <span className="breakpoint-percent breakpoint-whole">
          <span>less than</span>
          <input
            className="field field-number"
            type="number"
            min={0}
            max={100}
            step="any"
            aria-label="Probability in percent"
            value={percent}
            onChange={({ target }) => {
              setPercent(target.value);
              setProblem(null);
            }}
            {...isWrong}
          />
          <span>%</span>
        </span>
      )}
      {rule.type === "action" && <ActionFields rule={rule} onChange={change} />}
      {rule.type === "event" && (
        <select
          className="field breakpoint-whole"
          aria-label="Event"
          value={rule.event}
          onChange={({ target }) => change({ type: "event", event: target.value as BreakpointEvent })}
        >
          {breakpointEvents.map((event) => (
            <option key={event} value={event}>
              {eventLabels[event]}
            </option>
          ))}
        </select>
      )}
      <Button type="submit" icon="plus">
        Add
      </Button>
      {problem !== null && (
        <p id={id} className="field-error" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

interface ActionFieldsProps {
  readonly rule: Extract<BreakpointRule, { type: "action" }>;
  readonly onChange: (rule: BreakpointRule) => void;
}

function ActionFields({ rule, onChange }: ActionFieldsProps) {
  const { mods } = useStores();
  const all = useStore(mods, (state) => state.mods);
  const names = [...new Set(all.map(({ name }) => name))];
  return (
    <>
      <select
        className="field"
        aria-label="Mod"
        value={rule.mod === null ? "" : `=${rule.mod}`}
        onChange={({ target }) =>
          onChange({ ...rule, mod: target.value === "" ? null : target.value.slice(1) })
        }
      >
        <option value="">any mod</option>
        {names.map((name) => (
          <option key={name} value={`=${name}`}>
            {showInvisibleCharacters(name)}
          </option>
        ))}
      </select>
      <select
        className="field"
        aria-label="What the mod does"
        value={rule.action}
        onChange={({ target }) => onChange({ ...rule, action: target.value as BreakpointAction })}
      >
        {breakpointActions.map((action) => (
          <option key={action} value={action}>
            {actionLabels[action]}
          </option>
        ))}
      </select>
    </>
  );
}
