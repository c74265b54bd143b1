/** The tool part of a turn: the calls of an assistant, or the call that a tool's turn answers. */
import { useId } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { newId } from "../store/new-id.ts";
import { useStores } from "../store/stores.ts";
import type { Turn, TurnToolCall } from "../store/turns.ts";
import "./tool-turn.css";

export function ToolTurn({ turn }: { turn: Turn }) {
  if (turn.role === "assistant") return <Calls turn={turn} />;
  return turn.role === "tool" ? <AnsweredCall turn={turn} /> : null;
}

function Calls({ turn }: { turn: Turn }) {
  const { conversation, notices } = useStores();
  const { setCalls } = useStore(conversation);
  const { calls = [] } = turn;
  const change = (id: string, changes: Partial<TurnToolCall>) =>
    setCalls(
      turn.id,
      calls.map((call) => (call.id === id ? { ...call, ...changes } : call)),
    );
  const remove = (id: string) => {
    setCalls(
      turn.id,
      calls.filter((call) => call.id !== id),
    );
    notices
      .getState()
      .show("The tool call was deleted.", { label: "Undo", run: () => setCalls(turn.id, calls) });
  };
  return (
    <div className="turn-calls">
      {calls.map((call) => (
        <Call
          key={call.id}
          call={call}
          onChange={(changes) => change(call.id, changes)}
          onRemove={() => remove(call.id)}
        />
      ))}
      <Button
        weight="quiet"
        icon="plus"
        onClick={() => setCalls(turn.id, [...calls, { id: `call_${newId()}`, name: "", arguments: "{}" }])}
      >
        Tool call
      </Button>
    </div>
  );
}

interface CallProps {
  readonly call: TurnToolCall;
  onChange(changes: Partial<TurnToolCall>): void;
  onRemove(): void;
}

function Call({ call, onChange, onRemove }: CallProps) {
  const wrong = useId();
  const problem = problemOf(call);
  return (
    <div className="turn-call">
      <input
        className="field turn-call-name"
        aria-label="Name of the tool that is called"
        placeholder="name of the tool"
        spellCheck={false}
        value={call.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <IconButton icon="close" label="Delete this tool call" onClick={onRemove} />
      <textarea
        className="field turn-call-arguments"
        aria-label={`Arguments of ${call.name || "the tool"}`}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : wrong}
        rows={1}
        spellCheck={false}
        value={call.arguments}
        onChange={({ target }) => onChange({ arguments: target.value })}
      />
      {problem !== null && (
        <p id={wrong} className="turn-call-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The fault that keeps the call from the model; null if there is none. */
function problemOf({ name, arguments: given }: TurnToolCall): string | null {
  if (name.trim() === "") return "The call needs the name of a tool.";
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return null;
    return "The arguments are not a JSON object. Write them between { and }.";
  } catch (cause) {
    return `The arguments are not valid JSON: ${messageOf(cause)}`;
  }
}

function AnsweredCall({ turn }: { turn: Turn }) {
  const { conversation } = useStores();
  const { turns, setCallId } = useStore(conversation);
  const before = turns.slice(0, turns.indexOf(turn)).flatMap(({ calls = [] }) => calls);
  if (before.length === 0)
    return (
      <p className="turn-call-problem">
        No earlier assistant turn calls a tool: add a tool call to an assistant turn above.
      </p>
    );
  const isKnown = before.some(({ id }) => id === turn.callId);
  return (
    <label className="turn-answers">
      Result of
      <select
        className="field"
        value={isKnown ? turn.callId : ""}
        onChange={({ target }) => setCallId(turn.id, target.value)}
      >
        {!isKnown && <option value="">choose a call</option>}
        {before.map(({ id, name, arguments: given }) => (
          <option key={id} value={id}>
            {showInvisibleCharacters(`${name} ${given}`, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}
