/** The servers that run one model: which of them gets a conversation, and which goes on after one that failed. */
import type { TokenId } from "../../core/sdk/request.ts";
import { RemoteEngineError, type RemoteFault } from "./remote-error.ts";
import type { Replica, ReplicaSlot } from "./replica.ts";
import { UpstreamMeter } from "./upstream-meter.ts";

/** Tokens of a text whose hash chooses its server: gateways that share servers then choose alike. */
const hashedTokens = 32;
/** A server that holds so many tokens of a text gets the text, whatever the hash says. */
const leastHeld = 32;

/** Faults of a server after which another one may answer: the others are faults of the request or of its settings. */
const faultsOfServer: ReadonlySet<RemoteFault> = new Set([
  "unreachable",
  "broken",
  "loading",
  "busy",
  "server",
]);

/** Whether the server itself cannot answer now. */
export const isFaultOfServer = (error: unknown): error is RemoteEngineError =>
  error instanceof RemoteEngineError && faultsOfServer.has(error.fault);

export class Replicas {
  readonly #all: readonly Replica[];
  readonly meter: UpstreamMeter;
  readonly #onFault: (message: string) => void;

  /** @param onFault called with the message of a server's failure, which has the server's address */
  constructor(
    all: readonly Replica[],
    meter: UpstreamMeter = new UpstreamMeter(),
    onFault: (message: string) => void = () => {},
  ) {
    this.#all = all;
    this.meter = meter;
    this.#onFault = onFault;
  }

  /** Addresses of the servers, which neither clients nor traces may learn. */
  get origins(): readonly string[] {
    return this.#all.map(({ connection }) => connection.origin);
  }

  /** The place for a conversation that begins with this text. @throws RemoteEngineError if no server can be used. */
  async enter(text: readonly TokenId[]): Promise<ReplicaSlot> {
    const ready = this.#ready();
    if (ready.length > 0) return this.#choose(ready, text).take(text);
    const first = await this.#firstChecked();
    const again = this.#all.filter((replica) => replica === first || !replica.hasFailed);
    return this.#choose(again, text).take(text);
  }

  /** The server has to say again what it runs, unless it only refused a request. */
  noteFailure({ replica }: ReplicaSlot, error: unknown): void {
    this.#tellFault(replica, error);
    const isRefusal = error instanceof RemoteEngineError && error.fault === "refused";
    if (!isRefusal) replica.fail();
  }

  /**
   * The place where the conversation goes on after its server failed; null if the fault is not the server's, or no other server
   * is ready. The failed server keeps nothing of the conversation.
   * @param failed servers that failed with the same request: a text that ends every server would otherwise go round for ever
   */
  moveOn(
    place: ReplicaSlot,
    error: unknown,
    text: readonly TokenId[],
    failed: readonly Replica[] = [],
  ): ReplicaSlot | null {
    if (!isFaultOfServer(error)) return null;
    place.replica.fail();
    const others = this.#ready().filter((replica) => replica !== place.replica && !failed.includes(replica));
    if (others.length === 0) return null;
    place.replica.leave(place, []);
    this.#tellFault(place.replica, error);
    this.meter.moved();
    return this.#choose(others, text).take(text);
  }

  #tellFault(replica: Replica, error: unknown): void {
    this.meter.fault(error);
    if (error instanceof RemoteEngineError) this.#notify(replica, error);
  }

  /** Tells of a server that answers again and may not be used, for example because it runs another model now. */
  #tellFailedCheck(replica: Replica, error: unknown): void {
    if (error instanceof RemoteEngineError && !isFaultOfServer(error)) this.#notify(replica, error);
  }

  #notify(replica: Replica, error: RemoteEngineError): void {
    const notice = replica.notices.admit(error.fault, error.message);
    if (notice !== null) this.#onFault(notice);
  }

  /** The first server whose check succeeds: a server that is silent does not hold up the others. @throws RemoteEngineError */
  async #firstChecked(): Promise<Replica> {
    const checks = this.#all.map((replica) => replica.check().then(() => replica));
    try {
      return await Promise.any(checks);
    } catch (error) {
      throw (error as AggregateError).errors[0];
    }
  }

  #ready(): readonly Replica[] {
    for (const replica of this.#all) replica.checkLater((error) => this.#tellFailedCheck(replica, error));
    return this.#all.filter(({ hasFailed }) => !hasFailed);
  }

  #choose(replicas: readonly Replica[], text: readonly TokenId[]): Replica {
    const withRoom = replicas.filter(({ hasRoom }) => hasRoom);
    if (withRoom.length === 0) return leastBusy(replicas);
    const holders = withRoom.map((replica) => ({ replica, held: replica.heldOf(text) }));
    const holder = holders.reduce((best, each) => (each.held > best.held ? each : best));
    if (holder.held >= leastHeld) return holder.replica;
    return highestRank(withRoom, text);
  }
}

function leastBusy(replicas: readonly Replica[]): Replica {
  return replicas.reduce((best, each) => (each.conversations < best.conversations ? each : best));
}

/** Rendezvous hashing: a server that joins or leaves moves no other server's texts. */
function highestRank(replicas: readonly Replica[], text: readonly TokenId[]): Replica {
  const first = text.slice(0, hashedTokens).join(",");
  const ranked = replicas.map((replica) => ({
    replica,
    rank: hash(`${replica.connection.origin} ${first}`),
  }));
  return ranked.reduce((best, each) => (each.rank > best.rank ? each : best)).replica;
}

/** FNV-1a with a last mixing step, since the texts differ in their ends only. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (value ^ (value >>> 15)) >>> 0;
}
