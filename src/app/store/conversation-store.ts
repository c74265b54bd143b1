/** The conversation that the next run answers. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { newId } from "./new-id.ts";
import { asRecord, type Kept } from "./persist.ts";
import { type NewTurn, openCalls, parseTurns, type Turn, type TurnCall } from "./turns.ts";

export interface Conversation {
  readonly turns: readonly Turn[];
}

export interface ConversationState extends Conversation {
  add(...turns: readonly NewTurn[]): void;
  edit(id: string, text: string): void;
  /** A turn that becomes a tool's answers the last call that none answers. */
  setRole(id: string, role: Turn["role"]): void;
  setCalls(id: string, calls: readonly TurnCall[]): void;
  setCallId(id: string, callId: string): void;
  /** Answers with a function that undoes it. */
  remove(id: string): () => void;
  /** Answers with a function that undoes it; where the turns were edited since, that changes nothing and answers false. */
  replace(turns: readonly NewTurn[]): () => boolean;
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
      add: (...added) =>
        set(({ turns }) => ({ turns: [...turns, ...added.map((turn) => ({ ...turn, id: newId() }))] })),
      edit: (id, text) => update(id, { text }),
      setRole(id, role) {
        const { turns } = get();
        const before = turns.slice(
          0,
          turns.findIndex((turn) => turn.id === id),
        );
        const callId = openCalls(before).at(-1)?.id;
        update(id, { role, ...(role === "tool" && callId !== undefined && { callId }) });
      },
      setCalls: (id, calls) => update(id, { calls }),
      setCallId: (id, callId) => update(id, { callId }),
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

export function parseConversation(value: unknown): Conversation | null {
  const turns = parseTurns(asRecord(value)?.turns);
  return turns && { turns };
}
