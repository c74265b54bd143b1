/** How the mods are asked about one event. */
import type { Action } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { TraceTopK } from "../../trace/format/format.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";

export interface EventDispatch {
  readonly type: EventType;
  /** The event for the mod with this index: it contains the edits of the mods before it. */
  readonly event: (mod: number) => LoopEvent;
  /** The logits that the mod got with this event, if the record of its call must have them. */
  readonly given?: (host: ModHost, mod: number) => TraceTopK | null;
  /** Adds the tokens of its messages to an action. @throws InvalidActionError if the messages cannot be rendered. */
  readonly complete?: (action: Action) => Promise<Action>;
  /** Applies an edit (adjustPrefill, adjustLogits). @throws InvalidActionError if the edit leaves no token to sample. */
  readonly edit?: (action: Action, mod: number) => void | Promise<void>;
  /**
   * Work to do while the loop waits for replies. It runs after all mods that can be asked at once were asked, and before any
   * reply is read.
   */
  readonly meanwhile?: () => void | Promise<void>;
  /** Like `meanwhile`, but called only if a mod is asked: prepares data that the replies are likely to need. */
  readonly prepare?: () => void;
  /** The mods catch up with recorded events, so their replies are not recorded. */
  readonly isPast?: boolean;
  /**
   * Changes that mods reply with are not made, but recorded as superseded: the request ends in any case, or a token that a user
   * chose comes next.
   */
  readonly isFinal?: boolean;
}
