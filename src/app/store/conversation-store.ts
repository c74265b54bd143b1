/** The conversation that the next run answers. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Message } from "../../sdk/request.ts";
import { newId } from "./new-id.ts";
import { asChoice, asRecord, asString, type Kept } from "./persist.ts";

/** A turn in the editor; tool turns come with a later issue. */
export interface Turn {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
}

export interface Conversation {
  readonly turns: readonly Turn[];
}

export interface ConversationState extends Conversation {
  add(role: Turn["role"], text: string): void;
  edit(id: string, text: string): void;
  setRole(id: string, role: Turn["role"]): void;
  /** Answers with a function that undoes it. */
  remove(id: string): () => void;
  /** Answers with a function that undoes it; where the turns were edited since, that changes nothing and answers false. */
  replace(turns: readonly Omit<Turn, "id">[]): () => boolean;
}

export function createConversationStore(
  kept: Kept<Conversation>,
  initial: Conversation,
): StoreApi<ConversationState> {
  const store = createStore<ConversationState>()((set, get) => {
    const update = (id: string, changes: Partial<Turn>) =>
      set(({ turns }) => ({ turns: turns.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)) }));
    return {
      ...(kept.load() ?? initial),
      add: (role, text) => set(({ turns }) => ({ turns: [...turns, { id: newId(), role, text }] })),
      edit: (id, text) => update(id, { text }),
      setRole: (id, role) => update(id, { role }),
      remove(id) {
        const at = get().turns.findIndex((turn) => turn.id === id);
        const removed = get().turns[at];
        if (!removed) return () => {};
        set(({ turns }) => ({ turns: turns.filter((turn) => turn.id !== id) }));
        return () => {
          if (get().turns.some((turn) => turn.id === id)) return;
          set(({ turns }) => ({ turns: turns.toSpliced(at, 0, removed) }));
        };
      },
      replace(turns) {
        const before = get().turns;
        const after = turns.map((turn) => ({ ...turn, id: newId() }));
        set({ turns: after });
        return () => {
          if (get().turns !== after) return false;
          set({ turns: before });
          return true;
        };
      },
    };
  });
  store.subscribe(({ turns }) => kept.save({ turns }));
  return store;
}

/** The turns as the model gets them: empty system turns are left out. */
export function messagesOf(turns: readonly Turn[]): readonly Message[] {
  return turns
    .filter(({ role, text }) => role !== "system" || text.trim() !== "")
    .map(({ role, text }) => ({ role, content: text }));
}

/** Whether the answer to `asked` stands right after it among the turns: it is kept already. */
export function hasAnswer(turns: readonly Turn[], asked: readonly Message[], answer: string): boolean {
  const messages = messagesOf(turns);
  const isSame = (message: Message, index: number) =>
    message.role === messages[index]?.role && message.content === messages[index]?.content;
  const next = messages[asked.length];
  return asked.every(isSame) && next?.role === "assistant" && next.content === answer;
}

export function parseConversation(value: unknown): Conversation | null {
  const fields = asRecord(value);
  if (!fields || !Array.isArray(fields.turns)) return null;
  const turns = fields.turns.flatMap((entry: unknown) => {
    const turn = asRecord(entry);
    const id = asString(turn?.id);
    const role = asChoice(turn?.role, ["system", "user", "assistant"]);
    const text = asString(turn?.text);
    return id && role && text !== null ? [{ id, role, text }] : [];
  });
  return { turns };
}
