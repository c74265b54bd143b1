/** Limits of the signalling server, for each address and in total. */
import { isIPv4 } from "node:net";
import { createRateLimiter, type RateLimit, type RateLimiter } from "../src/page/live/allowance.ts";

export interface SignallingLimits {
  /** Open sockets in total, and for each address. */
  readonly sockets: number;
  readonly socketsOfAddress: number;
  /** How fast one address may open sockets. */
  readonly opened: RateLimit;
  /** Offers that are passed on to one sharer, and watchers that wait for an answer of that sharer. */
  readonly offers: RateLimit;
  readonly waiting: number;
  /** Milliseconds within which a watcher must send its offer, and the sharer must answer. */
  readonly offerMs: number;
  readonly answerMs: number;
  /** Unsent bytes for a sharer that does not read. */
  readonly unreadBytes: number;
  readonly pingMs: number;
}

export const defaultSignallingLimits: SignallingLimits = {
  sockets: 256,
  socketsOfAddress: 24,
  opened: { atOnce: 48, perSecond: 4 },
  offers: { atOnce: 32, perSecond: 8 },
  waiting: 16,
  offerMs: 5_000,
  answerMs: 20_000,
  unreadBytes: 1_048_576,
  pingMs: 20_000,
};

/** Most addresses that are remembered: those with sockets, and those whose allowance is not full again. New ones must wait. */
const remembered = 4_096;

export interface AddressLimits {
  /** False if the address has too many sockets or opens them too fast, or if there are too many sockets or addresses in total. */
  enter(address: string): boolean;
  leave(address: string): void;
}

interface AddressState {
  sockets: number;
  readonly opened: RateLimiter;
}

/** All IPv6 addresses of one /64 network count as one address: a single machine usually has all of them. */
export function addressGroup(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const after = (tail ?? "").split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0");
  return [...groups, ...zeros, ...after].slice(0, 4).join(":");
}

export function createAddressLimits(
  limits: SignallingLimits,
  now: () => number = () => performance.now(),
): AddressLimits {
  const addresses = new Map<string, AddressState>();
  let sockets = 0;
  const stateOf = (group: string): AddressState => {
    const known = addresses.get(group);
    if (known) return known;
    const state = { sockets: 0, opened: createRateLimiter(limits.opened, now) };
    addresses.set(group, state);
    return state;
  };
  /** Forgets addresses without sockets whose allowance is full again. */
  const tidy = () => {
    for (const [group, { sockets: open, opened }] of addresses)
      if (open === 0 && opened.waitMs(limits.opened.atOnce) === 0) addresses.delete(group);
  };
  return {
    enter(address) {
      const group = addressGroup(address);
      if (addresses.size >= remembered) tidy();
      if (addresses.size >= remembered && !addresses.has(group)) return false;
      const state = stateOf(group);
      if (!state.opened.take()) return false;
      if (sockets >= limits.sockets || state.sockets >= limits.socketsOfAddress) return false;
      sockets += 1;
      state.sockets += 1;
      return true;
    },
    leave(address) {
      sockets -= 1;
      stateOf(addressGroup(address)).sockets -= 1;
    },
  };
}
