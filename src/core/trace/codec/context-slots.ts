/**
 * The number of places that a slot has in `nodes`: the 15 nodes of a binary tree over four bits, and one unused place.
 * A slot holds the statistics of one context, found by the context's hash. A table that begins with the slots of another table
 * (`before`) copies a slot when it is first needed, so starting from the dictionary's slots takes no time.
 */
export const nodesPerSlot = 16;

export interface ContextSlots {
  /**
   * For each node of each slot: the probability of a 1 in 65536ths, less 32,768, times 256. The lowest 8 bits count the uses
   * of the node. A slot fills one cache line (64 bytes).
   */
  readonly nodes: Int32Array;
  /** Hash table with linear probing: the number of a slot, from 1, stands at the place of its key or at the next free place. */
  readonly places: Int32Array;
  readonly keys: Int32Array;
  count: number;
  /** The slots from which this table's slots are copied at their first use; they do not change. Null if all slots begin empty. */
  readonly before: ContextSlots | null;
}

/** @param room the most slots that will be made. */
export function createContextSlots(room: number, before: ContextSlots | null): ContextSlots {
  return {
    nodes: new Int32Array((room + 1) * nodesPerSlot),
    // The table is at most two thirds full.
    places: new Int32Array(2 ** Math.ceil(Math.log2(1.5 * room + 2))),
    keys: new Int32Array(room + 1),
    count: 0,
    before,
  };
}

/** The place of the key in the table, or the free place where the key belongs. */
function placeOf({ places, keys }: ContextSlots, key: number): number {
  const last = places.length - 1;
  let place = key & last;
  for (let slot = places[place] as number; slot !== 0 && keys[slot] !== key; slot = places[place] as number)
    place = (place + 1) & last;
  return place;
}

/** Index in `nodes` at which a key's slot begins. A new key gets a new slot: a copy of its slot in `before`, or an empty one. */
export function findOrAddSlotStart(slots: ContextSlots, key: number): number {
  const place = placeOf(slots, key);
  const found = slots.places[place] as number;
  if (found !== 0) return found * nodesPerSlot;
  slots.count += 1;
  const first = slots.count * nodesPerSlot;
  slots.places[place] = slots.count;
  slots.keys[slots.count] = key;
  const { before } = slots;
  const slotBefore = before ? (before.places[placeOf(before, key)] as number) : 0;
  if (before && slotBefore !== 0) {
    const firstBefore = slotBefore * nodesPerSlot;
    for (let node = 1; node < nodesPerSlot; node += 1)
      slots.nodes[first + node] = before.nodes[firstBefore + node] as number;
  }
  return first;
}
