/** Turns of the conversation in the editor, and their conversion to and from messages for a model. */
import { textOfMessage } from "../../../core/base/message-text.ts";
import type { Message } from "../../../core/sdk/request.ts";
import { newId } from "./new-id.ts";
import { asChoice, asRecord, asString } from "./persist.ts";

/** A tool call of an assistant's turn; `arguments` is JSON text. */
export interface TurnToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Turn {
  readonly id: string;
  readonly role: Message["role"];
  readonly text: string;
  /** The tools that an assistant's turn calls. */
  readonly calls?: readonly TurnToolCall[];
  /** Id of the call that a tool's turn answers. */
  readonly callId?: string;
}

export type NewTurn = Omit<Turn, "id">;

export const turnRoles = ["system", "user", "assistant", "tool"] as const;

/** The turns as the model gets them: empty system turns are left out. */
export function turnsToMessages(turns: readonly NewTurn[]): readonly Message[] {
  const names = new Map(turns.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name])));
  return turns
    .filter(({ role, text }) => role !== "system" || text.trim() !== "")
    .map(({ role, text, calls = [], callId }) => {
      if (role === "assistant" && calls.length > 0) {
        const tool_calls = calls.map(({ id, ...called }) => ({
          id,
          type: "function" as const,
          function: called,
        }));
        return { role, content: text === "" ? null : text, tool_calls };
      }
      if (role !== "tool" || callId === undefined) return { role, content: text };
      const name = names.get(callId);
      return { role, content: text, tool_call_id: callId, ...(name !== undefined && { name }) };
    });
}

/** Messages as turns. Content that is not text is left out. */
export function messagesToTurns(messages: readonly Message[]): readonly NewTurn[] {
  return messages.map((message) => {
    const { role, tool_calls: calls = [], tool_call_id: callId } = message;
    const text = textOfMessage(message);
    return {
      role,
      text,
      ...(calls.length > 0 && { calls: calls.map(({ id, function: called }) => ({ id, ...called })) }),
      ...(callId !== undefined && { callId }),
    };
  });
}

/** Whether the turns already have the answer right after `asked`. Calls are compared by their ids. */
export function turnsHaveAnswer(
  turns: readonly NewTurn[],
  asked: readonly Message[],
  { text, toolCalls }: { readonly text: string; readonly toolCalls: readonly { readonly id: string }[] },
): boolean {
  const messages = turnsToMessages(turns);
  const plain = (each: readonly Message[]) => JSON.stringify(messagesToTurns(each));
  const next = messages[asked.length];
  if (next?.role !== "assistant" || plain(messages.slice(0, asked.length)) !== plain(asked)) return false;
  if (toolCalls.length === 0) return next.content === text;
  return toolCalls.every(({ id }, place) => next.tool_calls?.[place]?.id === id);
}

/** The calls of the turns that no tool's turn answers yet, in their order. */
export function unansweredCalls(turns: readonly NewTurn[]): readonly TurnToolCall[] {
  const answered = new Set(turns.map(({ callId }) => callId));
  return turns.flatMap(({ calls = [] }) => calls).filter(({ id }) => !answered.has(id));
}

export function parseTurns(value: unknown): readonly Turn[] | null {
  if (!Array.isArray(value)) return null;
  const taken = new Set<string>();
  return value.flatMap((entry: unknown) => {
    const turn = asRecord(entry);
    const storedId = asString(turn?.id);
    // An edit would change two turns with the same id.
    const id = storedId !== null && taken.has(storedId) ? newId() : storedId;
    if (id !== null) taken.add(id);
    const role = asChoice(turn?.role, turnRoles);
    const text = asString(turn?.text);
    if (!id || !role || text === null) return [];
    const calls = Array.isArray(turn?.calls) ? turn.calls.flatMap(parseCall) : [];
    const callId = asString(turn?.callId);
    return [{ id, role, text, ...(calls.length > 0 && { calls }), ...(callId !== null && { callId }) }];
  });
}

function parseCall(value: unknown): TurnToolCall[] {
  const call = asRecord(value);
  const id = asString(call?.id);
  const name = asString(call?.name);
  const given = asString(call?.arguments);
  return id && name !== null && given !== null ? [{ id, name, arguments: given }] : [];
}
