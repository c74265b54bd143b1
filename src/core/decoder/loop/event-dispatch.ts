/** How the mods are asked about one event. */
import type { Action } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { TraceTopK } from "../../trace/format/format.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";

export interface EventDispatch {
  readonly type: EventType;
  /** The event as this mod sees it, by its index: after the edits of the mods before it. */
  readonly event: (mod: number) => LoopEvent;
  /** The logits that the mod saw with this event, as far as the record of its call must hold them. */
  readonly given?: (host: ModHost, mod: number) => TraceTopK | null;
  /** Gives an action the tokens of its messages. @throws InvalidActionError when they cannot be rendered. */
  readonly complete?: (action: Action) => Promise<Action>;
  /** Takes an edit (adjustPrefill, adjustLogits). @throws InvalidActionError when the edit leaves nothing to sample. */
  readonly edit?: (action: Action, mod: number) => void | Promise<void>;
  /** Work for the time while the mods answer. Runs after all mods that can be asked at once were asked, and before any reply is read. */
  readonly meanwhile?: () => void | Promise<void>;
  /** As `meanwhile`, but only if a mod is asked: prepares what the replies are likely to need. */
  readonly prepare?: () => void;
  /** The replies are not recorded: the mods catch up with recorded events. */
  readonly isPast?: boolean;
  /** The request ends whatever the mods reply: their changes are recorded as superseded. */
  readonly isFinal?: boolean;
}
