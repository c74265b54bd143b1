/** `useChatCompletion`: one streamed answer at a time, as state. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { ChatCompletionRequest, MidtokenEngine } from "../api/index.ts";

/** `failed`: see `error`. A request that was stopped is `finished`, with the text so far. */
export type ChatCompletionStatus = "idle" | "running" | "finished" | "failed";

export interface ChatCompletionState {
  readonly status: ChatCompletionStatus;
  /** The answer so far. */
  readonly text: string;
  /** The model's reasoning so far; "" if the model does not think. */
  readonly reasoning: string;
  /** The id for a timeline's `request`; null before the request has begun. */
  readonly requestId: string | null;
  readonly error: Error | null;
}

export interface ChatCompletionHook extends ChatCompletionState {
  /** Sends a request, and stops the one in progress. Settles when the request has ended. If it fails, the error is in the state. */
  readonly send: (request: Omit<ChatCompletionRequest, "stream" | "n">) => Promise<void>;
  readonly stop: () => void;
}

const idle: ChatCompletionState = { status: "idle", text: "", reasoning: "", requestId: null, error: null };

/** The request is stopped when the component is unmounted or gets another engine. */
export function useChatCompletion(engine: MidtokenEngine | null): ChatCompletionHook {
  const [state, setState] = useState(idle);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setState((state) => (state.status === "running" ? { ...state, status: "finished" } : state));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what another engine was asked is not waited for
  useEffect(() => stop, [stop, engine]);
  const send = useCallback<ChatCompletionHook["send"]>(
    async (request) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const change = (changes: Partial<ChatCompletionState>) => {
        if (!controller.signal.aborted) setState((state) => ({ ...state, ...changes }));
      };
      change({ ...idle, status: "running" });
      try {
        if (!engine) throw new Error("There is no engine yet: wait until `useEngine` returns an engine.");
        const { signal } = controller;
        const stream = await engine.chat.completions.create({ ...request, stream: true }, { signal });
        change({ requestId: stream.requestIds[0] ?? null });
        let text = "";
        let reasoning = "";
        for await (const { choices } of stream) {
          const { content, reasoning_content: thought, midtoken = {} } = choices[0]?.delta ?? {};
          text = text.slice(0, text.length - (midtoken.retract ?? 0)) + (content ?? "");
          reasoning =
            reasoning.slice(0, reasoning.length - (midtoken.retract_reasoning ?? 0)) + (thought ?? "");
          change({ text, reasoning });
        }
        change({ status: "finished" });
      } catch (cause) {
        change({ status: "failed", error: cause instanceof Error ? cause : new Error(String(cause)) });
      }
    },
    [engine],
  );
  return { ...state, send, stop };
}
