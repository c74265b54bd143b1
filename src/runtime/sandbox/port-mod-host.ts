/**
 * The decode loop's interface to a mod in the sandbox: sends events over a port, waits at most until a deadline, and checks
 * every reply (parse-reply.ts). Each event gets one reply, in order. A guest that sends more is stopped, so a flood costs
 * the engine one message. If the loop knows its next events (in a replay), it sends many at once, several in one message, so
 * that neither side waits for the other.
 */
import type { LoopEvent, ModFault, ModHost, ModReply } from "../../core/decoder/ports/mod-host.ts";
import { UnsentOutputChanges } from "../../core/decoder/ports/output-changes.ts";
import { InvalidActionError } from "../../core/sdk/action.ts";
import type { EventType } from "../../core/sdk/event.ts";
import type { ModNeeds } from "../../core/sdk/mod.ts";
import type { ScoreContinuations } from "../../core/sdk/score-arguments.ts";
import type { LayerSizes, WireEvent } from "../../core/sdk/wire-event.ts";
import type { TokenizerData } from "../../core/tokenizer/create-tokenizer.ts";
import type { CompiledModInfo } from "./compiled-mod.ts";
import { ConsoleBuffer } from "./console-buffer.ts";
import { type Deadlines, defaultDeadlines, longestTokenizerBuildMs } from "./deadlines.ts";
import { FramePings } from "./frame-pings.ts";
import { HostTokenScoring } from "./host-scores.ts";
import { PendingGuestCalls } from "./open-questions.ts";
import {
  type GuestFault,
  readAction,
  readConsole,
  readFault,
  readPosition,
  readReady,
} from "./parse-reply.ts";
import { type Fields, ProtocolViolation, readFields, violate } from "./parse-values.ts";
import type { EngineToGuest, SandboxPorts } from "./protocol.ts";
import { createPositionMap, type PositionMap } from "./source-positions.ts";
import { toWireEvent } from "./to-wire-event.ts";
import { serializeTokenizer } from "./tokenizer-text.ts";

export { defaultDeadlines, serializeTokenizer };

export interface ModHostOptions {
  /** The name that the trace shows. */
  readonly name: string;
  readonly about: CompiledModInfo;
  /** Name of the export to run; by default the default export. */
  readonly entry?: string;
  /** 32-bit seed of `Math.random` and the clock in the mod. */
  readonly seed: number;
  readonly tokenizerData: TokenizerData;
  readonly deadlines?: Partial<Deadlines>;
  /** Ends the guest, even if it is busy. Called once, also on `dispose`. */
  onKill(): void;
}

/**
 * Starts a mod in the guest at the other end of the ports. Never rejects: a mod that could not be loaded handles only
 * `prefilled`, and replies with the fault, so that the trace shows what happened and where.
 */
export async function connectModHost(ports: SandboxPorts, options: ModHostOptions): Promise<ModHost> {
  const host = new PortModHost(ports, options);
  await host.start();
  return host;
}

/** The most unanswered events that a guest may have: two full messages. */
const pipelineDepth = 64;

const noop = { type: "noop" } as const;

class PortModHost implements ModHost {
  readonly name: string;
  handles: ReadonlySet<EventType> = new Set<EventType>(["prefilled"]);
  needs: ModNeeds = { topK: 0, logits: false };
  readonly pipelineDepth = pipelineDepth;
  readonly #port: MessagePort;
  readonly #pings: FramePings;
  readonly #options: ModHostOptions;
  readonly #deadlines: Deadlines;
  readonly #positions: PositionMap;
  readonly #vocabularySize: number;
  readonly #runId = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  readonly #questions: PendingGuestCalls;
  readonly #scores: HostTokenScoring;
  #sequence = 0;
  /** Events of the last open questions, not sent yet. */
  #unsent: { readonly wire: WireEvent; readonly transfer: Transferable[] }[] = [];
  readonly #console = new ConsoleBuffer();
  readonly #output: UnsentOutputChanges | null;
  /** Why the guest was stopped; null while it lives. */
  #endFault: ModFault | null = null;
  /** The sizes of the model that the mod got. */
  #sizes: LayerSizes | null = null;
  #isClosed = false;
  #wasSentTokenizer = false;
  /** Whether the mod's own file has begun to load. */
  #isLoading = false;

  constructor({ port, pingPort }: SandboxPorts, options: ModHostOptions) {
    this.name = options.name;
    this.#port = port;
    this.#pings = new FramePings(pingPort);
    this.#questions = new PendingGuestCalls(this.#pings, (words) =>
      this.#endGuest({ kind: "timeout", message: `The mod "${this.name}" ${words}` }),
    );
    this.#scores = new HostTokenScoring({
      pause: () => this.#questions.pause(),
      goOn: (sequence, part, answer) => {
        if (this.#isClosed || this.#questions.first?.sequence !== sequence) return;
        this.#questions.beginPart(part);
        this.#send({ type: "scores", run: this.#runId, sequence, ...answer });
      },
    });
    this.#options = options;
    this.#output = options.about.reads.output ? new UnsentOutputChanges() : null;
    this.#deadlines = { ...defaultDeadlines, ...options.deadlines };
    this.#positions = createPositionMap(options.about);
    this.#vocabularySize = options.tokenizerData.vocabSize;
    port.addEventListener("close", () => this.#endCrashed());
    port.onmessage = ({ data, ports }: MessageEvent<unknown>) => this.#receive(data, ports);
    port.onmessageerror = () => this.#endOnViolation(() => violate("the message cannot be read"));
  }

  /** Settles when the mod is loaded, or has failed to load. */
  async start(): Promise<void> {
    const { seed, tokenizerData, entry = null, about } = this.#options;
    const { key } = serializeTokenizer(tokenizerData);
    const what = "prepare its tokenizer";
    const waiting = this.#questions.add({ sequence: 0, deadline: longestTokenizerBuildMs, what });
    this.#send({ type: "init", run: this.#runId, seed, tokenizerKey: key, entry, reads: about.reads });
    const answer = await waiting;
    this.#endOnViolation(() => {
      if ("fault" in answer) return;
      const { message } = answer;
      this.#console.keep(readConsole(message.console));
      if (message.type === "failed") {
        this.#endGuest(this.#toFault(readFault(message.fault)));
      } else {
        const { handles, needs } = readReady(message);
        this.handles = handles;
        this.needs = needs;
      }
    });
  }

  async ask(event: LoopEvent, score?: ScoreContinuations): Promise<ModReply> {
    if (this.#endFault !== null) return this.#faultReply(this.#endFault);
    if (this.#questions.count >= pipelineDepth) {
      throw new Error(
        `The mod "${this.name}" was sent ${pipelineDepth + 1} events at once. This is a bug in Midtoken: please report it.`,
      );
    }
    const sequence = ++this.#sequence;
    const deadline = event.type === "prefilled" ? this.#deadlines.prefilled : this.#deadlines.event;
    const waiting = this.#questions.add({ sequence, deadline, what: `reply to “${event.type}”` });
    const outgoing = toWireEvent(event, { needs: this.needs, output: this.#output });
    this.#scores.add(sequence, score, { deadline, what: `reply to “${event.type}”` });
    if ("sizes" in outgoing.wire) this.#sizes = outgoing.wire.sizes ?? this.#sizes;
    this.#unsent.push(outgoing);
    // Events that come while the guest is busy are sent together, before the guest has answered all earlier ones.
    if (this.#sentCount === 0) this.#sendEvents();
    const answer = await waiting;
    // The model may still compute scores for this mod; until they are done, nothing else may use the model.
    await this.#scores.end(sequence);
    if ("fault" in answer) return this.#faultReply(answer.fault);
    return this.#readReply(answer.message, event);
  }

  dispose(): void {
    this.#endGuest({ kind: "crashed", message: `The mod "${this.name}" was stopped.` });
  }

  #endCrashed(): void {
    this.#endGuest({
      kind: "crashed",
      message: `The sandbox of the mod "${this.name}" stopped unexpectedly: the mod may have used up its memory. Store less in variables.`,
    });
  }

  /** Ends the guest. All open questions get the fault as their answer. */
  #endGuest(fault: ModFault): void {
    this.#endFault ??= fault;
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#port.onmessage = null;
      this.#port.close();
      this.#pings.close();
      this.#options.onKill();
    }
    this.#unsent = [];
    this.#questions.fail(this.#endFault);
  }

  /** The number of open questions that the guest has received. */
  get #sentCount(): number {
    return this.#questions.count - this.#unsent.length;
  }

  #receive(data: unknown, ports: readonly MessagePort[]): void {
    this.#endOnViolation(() => {
      if (this.#isClosed) return;
      if (ports.length > 0) violate("the message contains a port");
      const message = readFields(data, "the message");
      if (message.run !== this.#runId) violate("the message belongs to another run");
      const question = this.#questions.first ?? violate("the message was not requested");
      if (question.sequence === 0) this.#receiveStart(message);
      else if (message.type === "score")
        this.#scores.receive(message, question.sequence, this.#vocabularySize);
      else {
        if (message.type !== "reply") violate("the message is not a reply");
        if (message.sequence !== question.sequence)
          violate(`the message does not reply to event ${question.sequence}`);
        this.#questions.answer({ message });
        if (this.#sentCount <= pipelineDepth / 2) this.#sendEvents();
      }
    });
  }

  #receiveStart(message: Fields): void {
    if (message.type === "needTokenizer" && !this.#wasSentTokenizer) {
      this.#wasSentTokenizer = true;
      const tokenizer = serializeTokenizer(this.#options.tokenizerData);
      // If the file uses masks, it needs tables that are built from the tokenizer before the file loads.
      this.#send({ type: "prepare", tokenizer, needs: { strategies: false, bans: false } });
    } else if (message.type === "loading" && !this.#isLoading) {
      this.#isLoading = true;
      this.#questions.beginPart({ deadline: this.#deadlines.load, what: "load" });
    } else if (message.type === "ready" || message.type === "failed") {
      this.#questions.answer({ message });
    } else violate("the mod is still loading, but the message is not about loading");
  }

  /** Stops the guest when `work` finds that it broke the protocol. */
  #endOnViolation(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.#endGuest({ kind: "protocol", message: error.message });
    }
  }

  #readReply(message: Fields, event: LoopEvent): ModReply {
    try {
      this.#console.keep(readConsole(message.console));
      const builtAt = readPosition(message.builtAt);
      const line = builtAt === null ? undefined : this.#positions.toSource(builtAt)?.line;
      if (message.fault !== null) return this.#faultReply(this.#toFault(readFault(message.fault)));
      const logits = event.type === "forwardPass" ? event.logits : null;
      const vocabularySize = logits?.length ?? this.#vocabularySize;
      const layers = this.needs.activations?.layers;
      const activations = layers === undefined ? null : { layers, sizes: this.#sizes };
      const context = { event: event.type, vocabularySize, logits, activations };
      try {
        const action = readAction(message.action, context);
        return { action, fault: null, console: this.#console.take(), ...(line && { line }) };
      } catch (error) {
        if (!(error instanceof InvalidActionError)) throw error;
        return this.#faultReply({ kind: "invalid-action", message: error.message, ...(line && { line }) });
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      const fault: ModFault = { kind: "protocol", message: error.message };
      this.#endGuest(fault);
      return this.#faultReply(fault);
    }
  }

  #faultReply(fault: ModFault): ModReply {
    return { action: noop, fault, console: this.#console.take() };
  }

  #toFault({ kind, message, stack, position }: GuestFault): ModFault {
    const place = position && this.#positions.toSource(position);
    const mapped = this.#positions.stackToSource(stack);
    return { kind, message, ...(mapped && { stack: mapped }), ...place };
  }

  #sendEvents(): void {
    const unsent = this.#unsent;
    if (unsent.length === 0) return;
    this.#unsent = [];
    const sequence = this.#sequence - unsent.length + 1;
    const events = unsent.map(({ wire }) => wire);
    const transfer = unsent.flatMap((each) => each.transfer);
    this.#send({ type: "events", run: this.#runId, sequence, events }, transfer);
  }

  #send(message: EngineToGuest, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
