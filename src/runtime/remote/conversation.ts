/** A conversation with the servers of a model: its place, how much of its text the server has read, and the failure that ended it. */

import { untilAborted } from "../../core/base/abort.ts";
import { ModelDeadError } from "../../core/decoder/ports/language-model.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { TextStart } from "./growing-text.ts";
import { PrefixWatch, type PrefixWatchOptions } from "./prefix-watch.ts";
import { upstreamCodeOf, withoutAddresses } from "./remote-error.ts";
import type { Replica, ReplicaSlot } from "./replica.ts";
import type { Replicas } from "./replicas.ts";

/** A request about a text. */
export interface ServerRequest<Answer> {
  readonly text: readonly TokenId[];
  /** Sends the request; called again with another place after a server that failed. */
  readonly send: (place: ReplicaSlot) => Promise<unknown>;
  /** @throws RemoteEngineError for an answer that is not understood */
  readonly read: (answer: unknown) => Answer;
  readonly signal: AbortSignal | undefined;
}

export class ConversationOnReplicas {
  readonly #replicas: Replicas;
  readonly #watch: PrefixWatch;
  readonly #onNotice: (notice: string) => void;
  /** Null before the first request and after the end. */
  #place: ReplicaSlot | null = null;
  /** Tokens of the text that the server has read. */
  #read = 0;
  #dead: ModelDeadError | null = null;
  #isDisposed = false;

  constructor(replicas: Replicas, onNotice: (notice: string) => void, cache: PrefixWatchOptions = {}) {
    this.#replicas = replicas;
    this.#onNotice = onNotice;
    this.#watch = new PrefixWatch((notice) => this.notify("cache", notice), cache);
  }

  /** The server and slot; null before the first request. */
  get place(): ReplicaSlot | null {
    return this.#place;
  }

  /** @throws ModelDeadError */
  checkAlive(): void {
    if (this.#dead) throw this.#dead;
    if (this.#isDisposed) throw disposedError();
  }

  truncate(length: number): void {
    this.#read = Math.min(this.#read, length);
  }

  /** The server has read the text. @param computed tokens that it computed; null if it does not tell */
  note(computed: number | null, text: TextStart): void {
    // A further question about an earlier row has a shorter text.
    const unread = Math.max(0, text.length - this.#read);
    this.#replicas.meter.step(computed, unread);
    const isLost = this.#watch.note(computed, unread, this.#place?.replica.connection.origin);
    this.#read = text.length;
    if (isLost) this.#leaveSlot(text);
  }

  /** Goes on in another slot, if one is free. */
  #leaveSlot(text: TextStart): void {
    const before = this.#place;
    if (!before) return;
    this.#place = before.replica.otherSlot(before, text.tokens());
    // The other slot has to read the whole text once.
    if (this.#place.slot !== before.slot) this.#read = 0;
  }

  /** Shows the user a notice about the conversation's server, at most one of each kind and server a minute (`NoticeLimit`). */
  notify(kind: string, notice: string): void {
    const replica = this.#place?.replica;
    const admitted = replica ? replica.notices.admit(kind, notice) : notice;
    if (admitted !== null) this.#onNotice(admitted);
  }

  /** A stream was closed before its end. */
  noteCut(): void {
    this.#replicas.meter.cut();
  }

  /** @throws ModelDeadError after every failure other than a stop, or the signal's reason */
  async ask<Answer>(request: ServerRequest<Answer>): Promise<Answer> {
    const { text, read, signal } = request;
    const place = await this.enter(text, signal);
    try {
      return read(await this.#send(request, place, []));
    } catch (error) {
      signal?.throwIfAborted();
      throw this.die(error);
    }
  }

  /** The place of the conversation, found before its first request. @throws as `ask` does */
  async enter(text: readonly TokenId[], signal: AbortSignal | undefined): Promise<ReplicaSlot> {
    this.checkAlive();
    if (this.#place) return this.#place;
    try {
      return await this.#enter(text, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.die(error);
    }
  }

  /** Goes on at another server; false if the failure is not the server's, or no other server is ready. */
  moveOn(error: unknown, text: readonly TokenId[], failed: readonly Replica[] = []): boolean {
    const next = this.#place && this.#replicas.moveOn(this.#place, error, text, failed);
    if (!next) return false;
    this.#place = next;
    this.#read = 0;
    return true;
  }

  /** Returns the error of the conversation, which is dead from now on. */
  die(error: unknown): ModelDeadError {
    if (this.#dead) return this.#dead;
    if (this.#isDisposed) return disposedError();
    if (this.#place) this.#replicas.noteFailure(this.#place, error);
    const said = error instanceof Error ? error.message : String(error);
    const message = withoutAddresses(said, this.#replicas.origins);
    this.#dead = new ModelDeadError(message, { cause: error, code: upstreamCodeOf(error) });
    return this.#dead;
  }

  /** Ends the conversation. @param text the whole text of the conversation */
  dispose(text: readonly TokenId[]): void {
    this.#isDisposed = true;
    this.#place?.replica.leave(this.#place, text.slice(0, this.#read));
    this.#place = null;
  }

  /** A request goes to each server once at most. @param failed servers that the request was sent to */
  async #send<Answer>(
    request: ServerRequest<Answer>,
    place: ReplicaSlot,
    failed: readonly Replica[],
  ): Promise<unknown> {
    try {
      const answer = await request.send(place);
      this.checkAlive();
      return answer;
    } catch (error) {
      request.signal?.throwIfAborted();
      this.checkAlive();
      const tried = [...failed, place.replica];
      if (!this.moveOn(error, request.text, tried)) throw error;
      return this.#send(request, this.#place as ReplicaSlot, tried);
    }
  }

  /** A stop does not wait for the check of a server. */
  async #enter(text: readonly TokenId[], signal: AbortSignal | undefined): Promise<ReplicaSlot> {
    const entering = this.#replicas.enter(text);
    try {
      const place = await untilAborted(entering, signal);
      this.checkAlive();
      this.#place = place;
      return place;
    } catch (error) {
      void entering.then(
        (place) => place.replica.leave(place, []),
        () => undefined,
      );
      throw error;
    }
  }
}

/** Made when it is needed: an error takes longer to make than the rest of the end of a conversation. */
const disposedError = (): ModelDeadError => new ModelDeadError("The model was disposed of.");
