/**
 * The guest's side of the port to the engine: waits for the mod's file, request and tokenizer, loads the mod, and answers
 * events one after the other. The caller decides where the mod runs (a scrubbed realm, QuickJS, this page) and passes the
 * functions that differ.
 */
import { vocabularyOf } from "../../core/masks/vocabulary/vocabulary.ts";
import { createModRunner, type ModRunner } from "../../core/sdk/runner.ts";
import { prepareTextEdits } from "../../core/sdk/text-tokens.ts";
import type { Tokenizer } from "../../core/sdk/tokenizer.ts";
import type { WireEvent } from "../../core/sdk/wire-event.ts";
import { createTokenizer } from "../../core/tokenizer/create-tokenizer.ts";
import { buffersToMove, toWireAction } from "./guest-action.ts";
import { positionIn, stackOf, toWireFault } from "./guest-fault.ts";
import { createGuestTokenScoring, type GuestTokenScoring } from "./guest-scores.ts";
import type {
  EngineToGuest,
  GuestToEngine,
  SerializedTokenizer,
  SourcePosition,
  VocabularyNeeds,
  WireConsoleLine,
} from "./protocol.ts";

export type ModFileExports = Readonly<Record<string, unknown>>;

type Init = Extract<EngineToGuest, { type: "init" }>;
type Events = Extract<EngineToGuest, { type: "events" }>;

/** A mod's file, ready to run. */
export interface GuestFile {
  /** Its name in stack traces. */
  readonly label: string;
  /** Runs the file, once. @throws any error of the file */
  load(): ModFileExports;
  /** The position, in the compiled text, of an error of `load` that the file's code did not throw, such as a syntax error; null if unknown. */
  faultPlace(error: unknown): SourcePosition | null;
}

export interface GuestCallbacks {
  post(message: GuestToEngine, transfer: Transferable[]): void;
  /** Lines that the mod wrote to the console since the last call. */
  takeConsole(): readonly WireConsoleLine[];
  /** Called before the mod's file runs. */
  onStart(seed: number): void;
  /** Called before each event. */
  onEvent(): void;
}

export interface GuestMessageHandler {
  /** Handles a message of the engine. Settles when all events of the message are answered. */
  receive(message: EngineToGuest): Promise<void>;
  /** Receives the mod's file. It is loaded when request and tokenizer have arrived too. */
  give(file: GuestFile): void;
}

export function createGuestMessageHandler({
  post,
  takeConsole,
  onStart,
  onEvent,
}: GuestCallbacks): GuestMessageHandler {
  let tokenizer: { readonly key: string; readonly value: ReturnType<typeof createTokenizer> } | null = null;
  let file: GuestFile | null = null;
  let init: Init | null = null;
  let runner: ModRunner | null = null;
  /** The scores of the current event. */
  let scores: GuestTokenScoring | null = null;

  function prepare({ key, json }: SerializedTokenizer, needs: VocabularyNeeds): void {
    if (tokenizer?.key !== key) tokenizer = { key, value: createTokenizer(JSON.parse(json)) };
    readVocabulary(tokenizer.value, needs);
  }

  /** Loads the mod if file, request and tokenizer are there. They arrive in any order. */
  function loadWhenReady(): void {
    if (file === null || init === null || runner !== null) return;
    const { run, tokenizerKey } = init;
    if (tokenizer?.key !== tokenizerKey) {
      post({ type: "needTokenizer", run }, []);
      return;
    }
    try {
      onStart(init.seed);
      readVocabulary(tokenizer.value, init.reads);
      post({ type: "loading", run }, []);
      const exports = file.load();
      runner = createModRunner(exports, {
        tokenizer: tokenizer.value,
        reads: init.reads,
        ...(init.entry !== null && { entry: init.entry }),
      });
      const { name, handles, needs } = runner;
      post(
        { type: "ready", run, name, handles: [...handles], needs: { ...needs }, console: takeConsole() },
        [],
      );
    } catch (error) {
      const fault = toWireFault(error, file.label, file.faultPlace(error));
      post({ type: "failed", run, fault, console: takeConsole() }, []);
    }
  }

  /** Sends each reply at once, because the engine measures the time of each reply. */
  async function replyToAll({ run, sequence, events }: Events): Promise<void> {
    for (let place = 0; place < events.length; place += 1) {
      await answer(run, sequence + place, events[place] as WireEvent);
    }
  }

  async function answer(run: number, sequence: number, event: WireEvent): Promise<void> {
    if (runner === null || file === null) return;
    onEvent();
    const sent = event.type === "forwardPass" && event.logits ? event.logits.slice() : null;
    const reply = { type: "reply", run, sequence } as const;
    const asked = createGuestTokenScoring(run, sequence, (message) => post(message, []));
    scores = asked;
    try {
      const { action, builtAt } = await runner.handle(event, asked.score).finally(asked.close);
      const wire = toWireAction(action, sent);
      const place = builtAt === null ? null : positionIn(stackOf(builtAt), file.label);
      const answered = { ...reply, action: wire, fault: null, builtAt: place, console: takeConsole() };
      post(answered, buffersToMove(wire));
    } catch (error) {
      const fault = toWireFault(error, file.label);
      post({ ...reply, action: { type: "noop" }, fault, builtAt: null, console: takeConsole() }, []);
    }
  }

  return {
    async receive(message) {
      if (message.type === "events") return replyToAll(message);
      if (message.type === "scores") return scores?.receive(message);
      if (message.type === "prepare") prepare(message.tokenizer, message.needs);
      else init = message;
      loadWhenReady();
    },
    give(given) {
      file = given;
      loadWhenReady();
    },
  };
}

function readVocabulary(tokenizer: Tokenizer, { strategies, bans }: VocabularyNeeds): void {
  if (strategies) vocabularyOf(tokenizer);
  if (bans) prepareTextEdits(tokenizer);
}
