/** Messages between the page and the engine's worker: plain data, checked by the receiver. */

import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import type { Transferred } from "../../../core/base/transferred.ts";
import type {
  LayersQuery,
  LayersReading,
  PlaceReading,
} from "../../../core/decoder/activations/layers-query.ts";
import type { Verification } from "../../../core/decoder/replay/verify.ts";
import type { TokenId, ToolChoice } from "../../../core/sdk/request.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type {
  DevicePreference,
  LoadProgress,
  ModelInfo,
  ModelReference,
} from "../../engine/base/model-reference.ts";
import type { PickedFiles } from "../../engine/files/files-source.ts";
import type { CompiledModInfo } from "../../sandbox/compiled-mod.ts";
import type { SandboxPorts, SerializedTokenizer } from "../../sandbox/protocol.ts";
import type { Breakpoint, Pause } from "./breakpoint.ts";
import type { LayersOpening, LoadedModel } from "./loading.ts";
import type { EngineMemory } from "./memory-budget.ts";
import type { RequestRefusal } from "./refusal.ts";
import type { PromptRequest, PromptToken, RunRequest, VerifyRequest } from "./requests.ts";

export type { DevicePreference, LoadProgress, ModelInfo, ModelReference, ToolChoice, Verification };

/** A mod in its sandbox: the engine's ends of the ports, and the facts about the mod's source that the engine needs. */
export interface SandboxedMod extends SandboxPorts {
  readonly about: CompiledModInfo;
}

/** Commands for a request that is running or paused. */
export type ControlMessage =
  | { readonly type: "pause" | "resume" | "stepOnce" | "stepEvent"; readonly requestId: string }
  | {
      readonly type: "setBreakpoints";
      readonly requestId: string;
      readonly breakpoints: readonly Breakpoint[];
    };

export type PageMessage =
  | {
      readonly type: "load";
      readonly id: number;
      readonly model: ModelReference;
      readonly device: DevicePreference;
      /** Files that the user picked; they replace the files at the model's address. */
      readonly files?: PickedFiles | undefined;
      readonly openLayers?: boolean | undefined;
    }
  | { readonly type: "cancelLoad"; readonly id: number }
  /** Used for all later loads; null removes the stored access. */
  | { readonly type: "setHubAccess"; readonly access: HubAccess | null }
  /** The server that the user named, with its key. Used for all later loads; null removes it. */
  | { readonly type: "setServerAccess"; readonly access: ServerAccess | null }
  /** In bytes; see SessionOptions. */
  | { readonly type: "setMemoryBudget"; readonly bytes: number; readonly textBytes?: number | undefined }
  | {
      readonly type: "run";
      readonly request: RunRequest;
      readonly guests: readonly SandboxedMod[];
      /** Commands that arrived before this message could be sent. */
      readonly commands: readonly ControlMessage[];
    }
  | { readonly type: "verify"; readonly request: VerifyRequest; readonly guests: readonly SandboxedMod[] }
  | { readonly type: "stop"; readonly requestId: string }
  | ControlMessage
  | {
      readonly type: "tokenize";
      readonly id: number;
      readonly prompt: PromptRequest;
    }
  | { readonly type: "readLayers"; readonly id: number; readonly query: LayersQuery }
  | { readonly type: "cancelReading"; readonly id: number };

export type EngineMessage =
  /** The worker begins this load. Earlier requests and loads have ended, and the previous model is no longer in use; it may stay in memory for a later load. */
  | { readonly type: "loadStarted"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly progress: LoadProgress }
  | {
      readonly type: "loaded";
      readonly id: number;
      readonly model: LoadedModel;
      readonly tokenizer: SerializedTokenizer;
    }
  | {
      readonly type: "loadFailed";
      readonly id: number;
      readonly message: string;
      readonly cancelled: boolean;
    }
  /** The model in use failed, or made room for opening its layers, which failed: no model is in use now. */
  | { readonly type: "modelGone" }
  /** A sentence for the user about a model that continues to work, for example that its server computes too many tokens for each step. */
  | { readonly type: "notice"; readonly notice: string }
  /** The memory of the models has changed, or is about to change. */
  | { readonly type: "memory"; readonly memory: EngineMemory }
  | { readonly type: "records"; readonly requestId: string; readonly records: readonly TraceRecord[] }
  /** `heard`: the number of the request's control messages, except `setBreakpoints`, that had arrived by then. */
  | { readonly type: "paused"; readonly requestId: string; readonly pause: Pause; readonly heard: number }
  /** The share (0 to 1) of the past events that the branch's mods have received. Records are sent only after the share is 1. */
  | { readonly type: "caughtUp"; readonly requestId: string; readonly share: number }
  | { readonly type: "verified"; readonly requestId: string; readonly verification: Verification }
  | { readonly type: "killMod"; readonly requestId: string; readonly mod: number }
  | {
      readonly type: "tokenized";
      readonly id: number;
      readonly tokens: readonly PromptToken[];
    }
  | { readonly type: "tokenizeFailed"; readonly id: number; readonly message: string }
  /** `opening`: the progress for a request (its id) or a reading (its number); null when the opening has ended. */
  | {
      readonly type: "opening";
      readonly of: string | number;
      readonly opening: LayersOpening | null;
    }
  | { readonly type: "placeRead"; readonly id: number; readonly place: PlaceReading }
  /** Follows all `placeRead` messages of this reading. `texts`: the texts of the tokens that the layers predict, by token id. */
  | {
      readonly type: "layersRead";
      readonly id: number;
      readonly sizes: Omit<LayersReading, "places">;
      readonly texts: ReadonlyMap<TokenId, string>;
    }
  | {
      readonly type: "readingFailed";
      readonly id: number;
      readonly message: string;
      readonly refusal: RequestRefusal | null;
    }
  /**
   * The worker begins or ends a request (its id), or a reading or a shown prompt (its number). Loads use `loadStarted`, `loaded`
   * and `loadFailed` instead. Between the two messages the worker may be unresponsive for long: see `work-watch.ts`.
   */
  | { readonly type: "began" | "ended"; readonly of: string | number }
  /**
   * The worker begins or ends to build the prompt of a request or of a shown prompt. Between the two messages the worker
   * receives others only now and then, and none while chat template or tokenizer runs.
   */
  | { readonly type: "promptStarted" | "promptEnded"; readonly of: string | number }
  /**
   * The worker begins or ends to build the tokenizer and the chat template of a model: for a load, for a request or a reading
   * that opens layers, or for a request that verifies a run.
   */
  | { readonly type: "tokenizerStarted" | "tokenizerEnded"; readonly of: string | number }
  /** The request failed. `refusal`: why the request is invalid; null if the engine failed. `stopped`: the request was stopped before it began. */
  | {
      readonly type: "runFailed";
      readonly requestId: string;
      readonly message: string;
      readonly refusal: RequestRefusal | null;
      readonly stopped?: boolean;
    };

/** `transfer`: buffers of the message that are moved instead of copied. */
export type SendToPage = (message: EngineMessage, transfer?: Transferred[]) => void;
