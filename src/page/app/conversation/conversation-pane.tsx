/** The conversation for the model, and the sampling settings. */
import { useMemo, useRef } from "react";
import { flushSync } from "react-dom";
import { useStore } from "zustand";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { splitReasoning } from "../../../core/trace/text/reasoning.ts";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { useStores } from "../store/stores.ts";
import { type Turn, turnRoles, turnsHaveAnswer } from "../store/turns.ts";
import { AnswerFormatPanel } from "./answer-settings.tsx";
import { longPromptSentence } from "./prompt-size.ts";
import { PromptTokensButton } from "./prompt-view.tsx";
import { SamplingSettingsPanel } from "./sampling-settings.tsx";
import { TurnText } from "./turn-text.tsx";
import "./conversation.css";

const ToolTurn = lazyPart({
  part: "Tool calls",
  load: () => import("./tool-turn.tsx"),
  component: "ToolTurn",
});

export function ConversationPane() {
  const { conversation, notices, run } = useStores();
  const { turns, add, replace } = useStore(conversation);
  const request = useStore(run, ({ trace }) => trace.request);
  const finished = useStore(run, ({ trace, status }) => (status === "finished" ? trace.finished : null));
  /** Without the reasoning of the model: chat templates leave the reasoning of earlier turns out. */
  const said = useMemo(
    () => finished && { ...finished, text: splitReasoning(finished.text, request?.reasoning).answer },
    [finished, request],
  );
  const calls = finished !== null && finished.toolCalls.length > 0;
  const canKeep = useMemo(
    () =>
      said !== null &&
      (said.toolCalls.length > 0 || said.text !== "") &&
      !turnsHaveAnswer(turns, request?.messages ?? [], said),
    [said, turns, request],
  );
  const hasSystem = turns[0]?.role === "system";
  const list = useRef<HTMLUListElement>(null);
  /** The user types into the turn that the change adds: elsewhere letters are shortcuts of the page. */
  const addAndFocus = (change: () => void, place: 0 | -1) => {
    flushSync(change);
    [...(list.current?.querySelectorAll<HTMLElement>(".turn-text") ?? [])].at(place)?.focus();
  };
  const addSystem = () => addAndFocus(() => replace([{ role: "system", text: "" }, ...turns]), 0);
  const addTurn = () => {
    const role = turns.at(-1)?.role === "user" ? "assistant" : "user";
    addAndFocus(() => add({ role, text: "" }), -1);
  };
  const keepAnswer = async () => {
    if (!finished || !said) return;
    if (!calls) {
      addAndFocus(() => add({ role: "assistant", text: said.text }, { role: "user", text: "" }), -1);
      return;
    }
    try {
      const load = () => import("./turns-of-calls.ts");
      const { turnsOfToolCalls } = await importProgramPart("The tool-call parser", load, "turnsOfToolCalls");
      add(...turnsOfToolCalls(finished, (request?.tools.length ?? 0) > 0, request?.reasoning));
    } catch (cause) {
      notices.getState().fail(`The calls were not added. ${messageOf(cause)}`);
    }
  };
  return (
    <section className="conversation" aria-label="Conversation and settings">
      <div className="conversation-turns">
        {!hasSystem && (
          <Button weight="quiet" className="conversation-add" icon="plus" onClick={addSystem}>
            Add a system message
          </Button>
        )}
        <ul ref={list}>
          {turns.map((turn) => (
            <TurnEditor key={turn.id} turn={turn} alone={turns.length === 1} />
          ))}
        </ul>
        <PromptSize turns={turns} />
        <div className="conversation-more">
          <Button weight="quiet" icon="plus" onClick={addTurn}>
            Add a turn
          </Button>
          {canKeep && (
            <Button weight="quiet" onClick={() => void keepAnswer()}>
              {calls ? "Add the calls to the conversation" : "Add the answer to the conversation"}
            </Button>
          )}
          <PromptTokensButton />
        </div>
      </div>
      <AnswerFormatPanel />
      <SamplingSettingsPanel />
    </section>
  );
}

function PromptSize({ turns }: { turns: readonly Turn[] }) {
  const { model } = useStores();
  const loaded = useStore(model, ({ status }) => (status.type === "ready" ? status.loaded : null));
  const characters = turns.reduce((sum, { text }) => sum + text.length, 0);
  const words = longPromptSentence(characters, loaded);
  return words !== null && <p className="conversation-size">{words}</p>;
}

function TurnEditor({ turn, alone }: { turn: Turn; alone: boolean }) {
  const { conversation, notices, settings } = useStores();
  const { setRole, remove } = useStore(conversation);
  const offersTools = useStore(settings, ({ answer }) => answer.offersTools);
  const isOfTools =
    turn.role === "tool" || (turn.role === "assistant" && (offersTools || turn.calls?.length));
  const item = useRef<HTMLLIElement>(null);
  const removeTurn = () => {
    const neighbour = item.current?.nextElementSibling ?? item.current?.previousElementSibling;
    let undo = () => {};
    flushSync(() => {
      undo = remove(turn.id);
    });
    neighbour?.querySelector<HTMLElement>(".turn-role")?.focus();
    notices.getState().show("The turn was deleted.", { label: "Undo", run: undo });
  };
  return (
    <li className="turn" ref={item}>
      <select
        className="turn-role"
        aria-label="Role"
        value={turn.role}
        onChange={({ target }) => {
          const role = turnRoles.find((each) => each === target.value);
          if (role) setRole(turn.id, role);
        }}
      >
        {turnRoles.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
      <TurnText turn={turn} />
      <IconButton icon="close" label="Delete this turn" disabled={alone} onClick={removeTurn} />
      {isOfTools && <ToolTurn turn={turn} />}
    </li>
  );
}
