/** The conversation that the next run answers. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { turnsProblem } from "./editor-limits.ts";
import { newId } from "./new-id.ts";
import { asRecord, openStoredValue, type Storages, type StoredValue } from "./persist.ts";
import { RefusedValueError } from "./read-stored-text.ts";
import type { StorageTroubleReporter } from "./storage-trouble.ts";
import { type NewTurn, parseTurns, type Turn, type TurnToolCall, unansweredCalls } from "./turns.ts";

export interface Conversation {
  readonly turns: readonly Turn[];
}

/** A change beyond the editor's limits is refused with a notice. */
export interface ConversationState extends Conversation {
  add(...turns: readonly NewTurn[]): void;
  edit(id: string, text: string): void;
  /** Changes a turn. A turn whose role becomes "tool" answers the last call without an answer. */
  setRole(id: string, role: Turn["role"]): void;
  setCalls(id: string, calls: readonly TurnToolCall[]): void;
  setCallId(id: string, callId: string): void;
  /** Returns a function that undoes the removal. */
  remove(id: string): () => void;
  /** Returns a function that undoes the change; if the turns were edited meanwhile, that function changes nothing and returns false. */
  replace(turns: readonly NewTurn[]): () => boolean;
}

export function createConversationStore(
  stored: StoredValue<Conversation>,
  initial: Conversation,
  say: (sentence: string) => void,
): StoreApi<ConversationState> {
  const store = createStore<ConversationState>()((set, get) => {
    /** Returns whether the turns were taken. */
    const take = (turns: readonly Turn[]): boolean => {
      const problem = turnsProblem(turns, "With this change the prompt would have");
      if (problem === null) set({ turns });
      else say(`${problem} Nothing was changed.`);
      return problem === null;
    };
    const update = (id: string, changes: Partial<Turn>) =>
      take(get().turns.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)));
    return {
      ...(stored.load() ?? initial),
      add: (...added) => void take([...get().turns, ...added.map((turn) => ({ ...turn, id: newId() }))]),
      edit: (id, text) => void update(id, { text }),
      setRole(id, role) {
        const { turns } = get();
        const before = turns.slice(
          0,
          turns.findIndex((turn) => turn.id === id),
        );
        const callId = unansweredCalls(before).at(-1)?.id;
        update(id, { role, ...(role === "tool" && callId !== undefined && { callId }) });
      },
      setCalls: (id, calls) => void update(id, { calls }),
      setCallId: (id, callId) => void update(id, { callId }),
      remove(id) {
        const at = get().turns.findIndex((turn) => turn.id === id);
        const removed = get().turns[at];
        if (!removed) return () => {};
        set(({ turns }) => ({ turns: turns.filter((turn) => turn.id !== id) }));
        return () => {
          if (get().turns.some((turn) => turn.id === id)) return;
          take(get().turns.toSpliced(at, 0, removed));
        };
      },
      replace(turns) {
        const before = get().turns;
        const after = turns.map((turn) => ({ ...turn, id: newId() }));
        if (!take(after)) return () => false;
        return () => {
          if (get().turns !== after) return false;
          set({ turns: before });
          return true;
        };
      },
    };
  });
  store.subscribe(({ turns }) => stored.save({ turns }));
  return store;
}

const conversationKey = "midtoken.conversation.v1";

export const openStoredConversation = (storages: Storages, trouble: StorageTroubleReporter) =>
  openStoredValue(storages, conversationKey, parseConversation, trouble);

/** Whether the user ever changed the prompt of a first visit. */
export const hasChangedFirstPrompt = ({ storages }: { readonly storages: Storages }) =>
  storages.browser.getItem(conversationKey) !== null;

/** @throws RefusedValueError for turns beyond the editor's limits. */
export function parseConversation(value: unknown): Conversation | null {
  const turns = parseTurns(asRecord(value)?.turns);
  const problem = turns && turnsProblem(turns, "The prompt saved in this browser has");
  if (problem) throw new RefusedValueError(problem);
  return turns && { turns };
}
