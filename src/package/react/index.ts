/** `midtoken/react`: the timeline as a component, and the engine as hooks, for React 18 and 19. Supports server-side rendering. */
import type { HTMLAttributes, RefAttributes } from "react";
import type { TokenTimelineElement } from "../element/index.ts";

export { TokenTimeline, type TokenTimelineProps } from "./token-timeline.ts";
export {
  type ChatCompletionHook,
  type ChatCompletionState,
  type ChatCompletionStatus,
  useChatCompletion,
} from "./use-chat-completion.ts";
export { type EngineState, useEngine } from "./use-engine.ts";

/** The attributes of `<token-timeline>` in JSX. The component `TokenTimeline` also takes objects and functions. */
export interface TokenTimelineAttributes
  extends HTMLAttributes<TokenTimelineElement>,
    RefAttributes<TokenTimelineElement> {
  readonly class?: string;
  readonly src?: string;
  readonly view?: string;
  readonly panel?: string;
  readonly theme?: string;
  readonly select?: string;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "token-timeline": TokenTimelineAttributes;
    }
  }
}
