/** A guest inside QuickJS, as its thread uses it: a realm in its own WebAssembly memory. */
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core";
import { type PackedMessage, pack, unpack } from "./clone-text.ts";
import type { DeliverToRealm } from "./realm/realm-program.ts";

/** The limits of a guest. */
export interface RealmLimits {
  /**
   * Bytes of the WebAssembly memory, which contains everything of the guest: its program, the tokenizer, masks, the mod's
   * values. The memory cannot grow further. QuickJS's own limit would count allocations instead of bytes, because its
   * WebAssembly build does not know the size of an allocation.
   */
  readonly memory: number;
  /** Bytes of QuickJS's stack, which are about 3,000 nested calls. */
  readonly stack: number;
}

/** The limits of one message of a guest. An honest guest sends less: see `messageLimits` and `steerActionLimits`. */
const largestMessage = { characters: 2 ** 23, bytes: 2 ** 25, values: 2 ** 21 } as const;

export interface GuestRealmOptions {
  readonly quickjs: QuickJSWASMModule;
  /** The realm's program and the guest's program, run in this order. */
  readonly programs: readonly string[];
  readonly limits: RealmLimits;
  /** Receives a message for the engine: plain data that is not checked yet. */
  post(message: unknown): void;
  announce(word: string): void;
  /** Called regularly while the guest computes. If it returns true, the guest stops for good. */
  isEnded(): boolean;
}

/** The guest did something that an honest guest never does, so it must not be used any more. */
export class GuestRealmError extends Error {
  override readonly name = "GuestRealmError";
}

const nothing: PackedMessage = pack(null);

export class GuestRealm {
  readonly #context: QuickJSContext;
  #deliver: QuickJSHandle | null = null;

  /** @throws GuestRealmError if a program fails. */
  constructor(options: GuestRealmOptions) {
    const runtime = options.quickjs.newRuntime();
    runtime.setMaxStackSize(options.limits.stack);
    runtime.setInterruptHandler(options.isEnded);
    this.#context = runtime.newContext();
    this.#installHost(options);
    for (const program of options.programs) this.#run(() => this.#context.evalCode(program, "guest.js"));
  }

  /** Tells the guest that the engine's port has arrived. */
  openPort(): void {
    this.#hand("port", nothing);
  }

  /** Passes the mod's script to the guest. */
  loadScript(script: { readonly url: string; readonly label: string; readonly define: string }): void {
    this.#hand("script", pack(script));
  }

  /** Passes a message from the engine's port to the guest. */
  receive(message: unknown): void {
    this.#hand("message", pack(message));
  }

  /** @throws GuestRealmError if the guest rejects the value, or fails in a way in which no honest guest fails. */
  #hand(kind: Parameters<DeliverToRealm>[0], { text, bytes }: PackedMessage): void {
    const context = this.#context;
    const deliver = this.#deliver;
    if (deliver === null) throw new GuestRealmError("The mod's sandbox did not connect.");
    const values = [context.newString(kind), context.newString(text), context.newArrayBuffer(bytes)];
    try {
      this.#run(() => context.callFunction(deliver, context.undefined, ...values));
    } finally {
      for (const value of values) value.dispose();
    }
  }

  /** Also runs pending jobs afterwards: callbacks of settled promises. */
  #run(work: () => ReturnType<QuickJSContext["evalCode"]>): void {
    this.#settle(work());
    this.#settle(this.#context.runtime.executePendingJobs());
  }

  #settle(result: { error?: QuickJSHandle | undefined; dispose(): void }): void {
    if (result.error) {
      const { name, message, stack } = this.#read(result.error);
      result.dispose();
      throw new GuestRealmError(`${name}: ${message}\n${stack}`);
    }
    result.dispose();
  }

  /** Reads an error's own texts, without running code of the guest. */
  #read(error: QuickJSHandle): { name: string; message: string; stack: string } {
    const word = (name: string): string =>
      this.#context.getProp(error, name).consume((value) => {
        return this.#context.typeof(value) === "string" ? this.#context.getString(value) : "";
      });
    if (this.#context.typeof(error) !== "object") return { name: "Error", message: "", stack: "" };
    return { name: word("name"), message: word("message"), stack: word("stack") };
  }

  #installHost({ post, announce }: GuestRealmOptions): void {
    const context = this.#context;
    const host = context.newObject();
    type Work = (...values: QuickJSHandle[]) => ReturnType<QuickJSContext["evalCode"]> | undefined;
    const install = (name: string, work: Work) =>
      context.newFunction(name, work).consume((made) => context.setProp(host, name, made));
    install("connect", (deliver) => {
      this.#deliver ??= deliver?.dup() ?? null;
      return undefined;
    });
    install("post", (text, bytes) => {
      if (text && bytes) {
        const packed = { text: this.#textOf(text), bytes: this.#bytesOf(bytes) };
        post(unpack(packed, largestMessage.values));
      }
      return undefined;
    });
    install("announce", (word) => {
      if (word) announce(context.getString(word));
      return undefined;
    });
    install("load", (code, label) =>
      code && label ? context.evalCode(context.getString(code), context.getString(label)) : undefined,
    );
    context.setProp(context.global, "midtokenHost", host);
    host.dispose();
  }

  /** The text of a message. Its length is checked before anything is copied out of the guest's memory. */
  #textOf(handle: QuickJSHandle): string {
    const characters = this.#context
      .getProp(handle, "length")
      .consume((value) => this.#context.getNumber(value));
    checkSize(characters, largestMessage.characters, "characters");
    return this.#context.getString(handle);
  }

  #bytesOf(handle: QuickJSHandle): ArrayBuffer {
    const bytes = this.#context.getArrayBuffer(handle);
    try {
      checkSize(bytes.value.byteLength, largestMessage.bytes, "bytes");
      return new Uint8Array(bytes.value).buffer;
    } finally {
      bytes.dispose();
    }
  }
}

/** @throws GuestRealmError if a message is too large to be copied to the engine. */
function checkSize(size: number, most: number, unit: string): void {
  if (size <= most) return;
  throw new GuestRealmError(`The mod's sandbox sent a message of ${size} ${unit}; the limit is ${most}.`);
}
