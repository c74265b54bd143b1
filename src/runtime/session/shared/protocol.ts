/** Messages between the page and the engine's worker. Plain data; parsed at the edge. */

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
  LoadedModel as ModelInfo,
  ModelReference,
} from "../../engine/base/model-reference.ts";
import type { PickedFiles } from "../../engine/files/files-source.ts";
import type { ModAbout } from "../../sandbox/compiled-mod.ts";
import type { SandboxPorts, TokenizerText } from "../../sandbox/protocol.ts";
import type { Breakpoint, Pause } from "./breakpoint.ts";
import type { LayersOpening, LoadedModel } from "./loading.ts";
import type { EngineMemory } from "./memory-budget.ts";
import type { Refusal } from "./refusal.ts";
import type { PromptRequest, PromptToken, RunRequest, VerifyRequest } from "./requests.ts";

export type { DevicePreference, LoadProgress, ModelInfo, ModelReference, ToolChoice, Verification };

/** A mod in its sandbox: the engine's ends of the ports to it, and what the engine has to know of the mod's source. */
export interface GuestPorts extends SandboxPorts {
  readonly about: ModAbout;
}

/** Commands that move a request that runs or waits. */
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
      /** In place of what lies at the model's address. */
      readonly files?: PickedFiles | undefined;
      readonly openLayers?: boolean | undefined;
    }
  | { readonly type: "cancelLoad"; readonly id: number }
  /** For the loads that follow; null forgets it. */
  | { readonly type: "setHubAccess"; readonly access: HubAccess | null }
  /** For the loads that follow: the server that the user named, with its key; null forgets it. */
  | { readonly type: "setServerAccess"; readonly access: ServerAccess | null }
  /** Bytes; see SessionOptions. */
  | { readonly type: "setMemoryBudget"; readonly bytes: number; readonly textBytes?: number | undefined }
  | {
      readonly type: "run";
      readonly request: RunRequest;
      readonly guests: readonly GuestPorts[];
      /** Commands that arrived before the request could be sent. */
      readonly commands: readonly ControlMessage[];
    }
  | { readonly type: "verify"; readonly request: VerifyRequest; readonly guests: readonly GuestPorts[] }
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
  /** The worker begins this load, after the requests and loads before it, and has disposed of the model before it. */
  | { readonly type: "loadStarted"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly progress: LoadProgress }
  | {
      readonly type: "loaded";
      readonly id: number;
      readonly model: LoadedModel;
      readonly tokenizer: TokenizerText;
    }
  | {
      readonly type: "loadFailed";
      readonly id: number;
      readonly message: string;
      readonly cancelled: boolean;
    }
  /** The loaded model broke during a request and was disposed of: nothing is loaded now. */
  | { readonly type: "modelGone" }
  /** A sentence for the user about a model that goes on, for example that its server computes too many tokens for each step. */
  | { readonly type: "notice"; readonly notice: string }
  /** The models' memory has changed, or is about to. */
  | { readonly type: "memory"; readonly memory: EngineMemory }
  | { readonly type: "records"; readonly requestId: string; readonly records: readonly TraceRecord[] }
  /** `heard`: how many of the request's control messages, breakpoints aside, the engine had when it held it. */
  | { readonly type: "paused"; readonly requestId: string; readonly pause: Pause; readonly heard: number }
  /** Its mods know this share of what was before the branch, from 0 to 1: no record comes before they know all of it. */
  | { readonly type: "caughtUp"; readonly requestId: string; readonly share: number }
  | { readonly type: "verified"; readonly requestId: string; readonly verification: Verification }
  | { readonly type: "killMod"; readonly requestId: string; readonly mod: number }
  | {
      readonly type: "tokenized";
      readonly id: number;
      readonly tokens: readonly PromptToken[];
    }
  | { readonly type: "tokenizeFailed"; readonly id: number; readonly message: string }
  /** The layers of the model are opened for a request, by its id, or for a reading, by its number; null: they are open, or will not be. */
  | {
      readonly type: "opening";
      readonly of: string | number;
      readonly opening: LayersOpening | null;
    }
  | { readonly type: "placeRead"; readonly id: number; readonly place: PlaceReading }
  /** After all its places. `texts`: of the tokens that layers would say, by their ids. */
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
      readonly refusal: Refusal | null;
    }
  /**
   * The worker begins and ends a request, by its id, or a reading or a shown prompt, by its number. Loads have `loadStarted`,
   * `loaded` and `loadFailed`. In between the worker may hear nothing for long: see `work-watch.ts`.
   */
  | { readonly type: "began" | "ended"; readonly of: string | number }
  /**
   * The worker begins and ends the prompt of a request or of a shown prompt. In between it hears no message, because chat
   * template and tokenizer run at one go.
   */
  | { readonly type: "promptStarted" | "promptEnded"; readonly of: string | number }
  /**
   * The worker begins and ends to make the tokenizer and the chat template of a model: for a load, for a request or a reading that
   * opens layers, or for a request that verifies a run.
   */
  | { readonly type: "tokenizerStarted" | "tokenizerEnded"; readonly of: string | number }
  /**
   * `refusal`: the request could not be answered as it was asked; null if the engine failed. `stopped`: it was stopped before it
   * began.
   */
  | {
      readonly type: "runFailed";
      readonly requestId: string;
      readonly message: string;
      readonly refusal: Refusal | null;
      readonly stopped?: boolean;
    };

/** `transfer`: buffers of the message that are moved instead of copied. */
export type SendToPage = (message: EngineMessage, transfer?: Transferred[]) => void;
