/** What the model is asked, and how its words are chosen. */
import { useStore } from "zustand";
import { Button, IconButton } from "../../ui/button.tsx";
import { hasAnswer, type Turn } from "../store/conversation-store.ts";
import { useStores } from "../store/stores.ts";
import { AnswerSettings } from "./answer-settings.tsx";
import { PromptView } from "./prompt-view.tsx";
import { SamplingSettings } from "./sampling-settings.tsx";
import "./conversation.css";

/** One array for all runs without messages, so that React sees no change from one render to the next. */
const nothing: readonly never[] = [];

export function ConversationPane() {
  const { conversation, run } = useStores();
  const { turns, add } = useStore(conversation);
  const answer = useStore(run, ({ trace, status }) =>
    status === "finished" ? (trace.finished?.text ?? "") : "",
  );
  const asked = useStore(run, ({ trace }) => trace.request?.messages ?? nothing);
  const canKeep = answer !== "" && !hasAnswer(turns, asked, answer);
  const hasSystem = turns[0]?.role === "system";
  const addSystem = () => {
    const { replace } = conversation.getState();
    replace([{ role: "system", text: "" }, ...turns.map(({ role, text }) => ({ role, text }))]);
  };
  const takeAnswer = () => {
    add("assistant", answer);
    add("user", "");
  };
  return (
    <section className="conversation" aria-label="Conversation and settings">
      <div className="conversation-turns">
        {!hasSystem && (
          <Button weight="quiet" className="conversation-add" icon="plus" onClick={addSystem}>
            System text
          </Button>
        )}
        <ul>
          {turns.map((turn) => (
            <TurnEditor key={turn.id} turn={turn} alone={turns.length === 1} />
          ))}
        </ul>
        <div className="conversation-more">
          <Button
            weight="quiet"
            icon="plus"
            onClick={() => add(turns.at(-1)?.role === "user" ? "assistant" : "user", "")}
          >
            Turn
          </Button>
          {canKeep && (
            <Button weight="quiet" onClick={takeAnswer}>
              Keep the answer and go on
            </Button>
          )}
          <PromptView />
        </div>
      </div>
      <AnswerSettings />
      <SamplingSettings />
    </section>
  );
}

const roles: readonly Turn["role"][] = ["system", "user", "assistant"];

function TurnEditor({ turn, alone }: { turn: Turn; alone: boolean }) {
  const { conversation, notices } = useStores();
  const { edit, setRole, remove } = useStore(conversation);
  const removeTurn = () => {
    const undo = remove(turn.id);
    notices.getState().show("The turn was deleted.", { label: "Undo", run: undo });
  };
  return (
    <li className="turn">
      <select
        className="turn-role"
        aria-label="Who speaks"
        value={turn.role}
        onChange={({ target }) => {
          const role = roles.find((each) => each === target.value);
          if (role) setRole(turn.id, role);
        }}
      >
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
      <textarea
        className="turn-text"
        aria-label={`${turn.role} turn`}
        rows={1}
        placeholder={
          turn.role === "assistant"
            ? "What the model said"
            : turn.role === "user"
              ? "What you say"
              : "How the model should behave"
        }
        value={turn.text}
        onChange={({ target }) => edit(turn.id, target.value)}
      />
      <IconButton icon="close" label="Delete this turn" disabled={alone} onClick={removeTurn} />
    </li>
  );
}
