/**
 * A server that runs a model, as this process knows it: whether the server answers, and which text each of its slots holds.
 * A slot is the server's KV cache for one conversation. A conversation takes a slot, and leaves its text there when it ends,
 * so that the next turn of the conversation can reuse the text. `replicas.ts` chooses among several servers.
 *
 * Example: a server with two slots.
 *   take([1, 2, 3]), take([7])         slots 0 and 1 (in any order); `hasRoom` is false, so a third conversation gets slot null
 *   leave(first, [1, 2, 3, 4]),
 *   leave(second, [1, 2, 8])           both slots are free, and hold these texts
 *   heldOf([1, 2, 3, 4, 5])            4: the first slot holds so many of the tokens
 *   take([1, 2, 3, 4, 5])              the first slot, which holds 4 tokens; the second one holds only 2
 *   take([1, 2, 9]) instead            the second slot: both hold 2 of the tokens, and the second text loses less (1, not 2)
 *
 * Rules: slot null means that the server chooses. A taken slot counts as empty. After `fail()` all slots count as empty, and
 * `hasFailed` is true until a check succeeds: the server may have been started again, with nothing in its cache.
 */
import { commonPrefixLength } from "../../core/base/shared-length.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { ServerConnection } from "./connection.ts";
import { NoticeLimit } from "./notice-limit.ts";

/** A slot that holds one conversation at a time. */
interface Slot {
  isTaken: boolean;
  /** The text that the server has in the slot, as far as this process knows. */
  text: readonly TokenId[];
}

/** The place of a conversation. */
export interface ReplicaSlot {
  readonly replica: Replica;
  /** Null: the server chooses. */
  readonly slot: number | null;
}

export interface ReplicaOptions {
  readonly connection: ServerConnection;
  /** Conversations that the server holds at once; 0 for a server that has no slots; null for a server that has not answered yet. */
  readonly slots: number | null;
  /** Asks the server again what it runs, after it failed. @throws RemoteEngineError if it cannot be used. */
  readonly check?: (replica: Replica) => Promise<void>;
}

const emptySlots = (count: number): readonly Slot[] =>
  Array.from({ length: count }, () => ({ isTaken: false, text: [] }));

/** Milliseconds after a failed check in which the server is not asked again while others answer. */
const pauseOfChecks = 2_000;

export class Replica {
  readonly connection: ServerConnection;
  readonly notices = new NoticeLimit();
  #slots: readonly Slot[];
  readonly #check: (replica: Replica) => Promise<void>;
  #conversations = 0;
  #isKnown: boolean;
  #hasFailed: boolean;
  #checking: Promise<void> | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor({ connection, slots, check = async () => {} }: ReplicaOptions) {
    this.connection = connection;
    this.#slots = emptySlots(slots ?? 0);
    this.#isKnown = slots !== null;
    this.#hasFailed = slots === null;
    this.#check = check;
  }

  /** Conversations that are there now. */
  get conversations(): number {
    return this.#conversations;
  }

  /** Its last answer was a failure: it has to be checked before it is used again. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get hasRoom(): boolean {
    return this.#slots.length === 0 || this.#slots.some(({ isTaken }) => !isTaken);
  }

  fail(): void {
    this.#hasFailed = true;
    // A server that was started again holds nothing.
    for (const slot of this.#slots) slot.text = [];
  }

  /** Asks a failed server again; `hasFailed` is false once it answers. One check at a time. @throws RemoteEngineError */
  check(): Promise<void> {
    if (!this.#hasFailed) return Promise.resolve();
    this.#checking ??= this.#check(this)
      .then(() => {
        this.#hasFailed = false;
      })
      .finally(() => {
        this.#checking = null;
        this.#checkedAt = performance.now();
      });
    return this.#checking;
  }

  /** Sets the number of slots of a server that did not answer when it was named. */
  learnSlots(slots: number): void {
    if (!this.#isKnown) this.#slots = emptySlots(slots);
    this.#isKnown = true;
  }

  /** Checks a failed server without anyone waiting for the answer. @param onFailure called with the error of the check */
  checkLater(onFailure: (error: unknown) => void): void {
    if (!this.#hasFailed || performance.now() - this.#checkedAt < pauseOfChecks) return;
    this.check().catch(onFailure);
  }

  /** The number of first tokens of this text that a free slot holds. */
  heldOf(text: readonly TokenId[]): number {
    const held = this.#slots
      .filter(({ isTaken }) => !isTaken)
      .map((slot) => commonPrefixLength(slot.text, text));
    return Math.max(0, ...held);
  }

  /** A free slot, the one that holds the most of this text; else the server chooses. */
  take(text: readonly TokenId[]): ReplicaSlot {
    this.#conversations += 1;
    return { replica: this, slot: this.#takeSlot(text) };
  }

  /** Moves a conversation to another slot, if one is free: somebody else uses its slot. */
  otherSlot({ slot }: ReplicaSlot, text: readonly TokenId[]): ReplicaSlot {
    const other = this.#takeSlot(text);
    if (other === null) return { replica: this, slot };
    this.#freeSlot(slot, []);
    return { replica: this, slot: other };
  }

  /** The conversation ends. @param text what the slot holds from now on */
  leave({ slot }: ReplicaSlot, text: readonly TokenId[]): void {
    this.#conversations -= 1;
    this.#freeSlot(slot, this.#hasFailed ? [] : text);
  }

  #takeSlot(text: readonly TokenId[]): number | null {
    const free = [...this.#slots.entries()].flatMap(([slot, { isTaken, text: held }]) => {
      const shared = commonPrefixLength(held, text);
      return isTaken ? [] : [{ slot, shared, lost: held.length - shared }];
    });
    // Choose the slots that hold most of the text, and among them the slots that lose the least.
    const shared = Math.max(...free.map((each) => each.shared));
    const holders = free.filter((each) => each.shared === shared);
    const lost = Math.min(...holders.map((each) => each.lost));
    const best = holders.filter((each) => each.lost === lost);
    // By chance: another process that uses the same server chooses another one.
    const chosen = best[Math.floor(Math.random() * best.length)];
    if (!chosen) return null;
    const taken = this.#slots[chosen.slot] as Slot;
    taken.isTaken = true;
    // The conversation changes the text. `leave` says what the slot holds at the end.
    taken.text = [];
    return chosen.slot;
  }

  #freeSlot(slot: number | null, text: readonly TokenId[]): void {
    const freed = slot === null ? undefined : this.#slots[slot];
    if (!freed) return;
    freed.isTaken = false;
    freed.text = text;
  }
}
