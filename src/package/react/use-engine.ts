/** `useEngine`: an engine that lives as long as a component. */
import { useEffect, useRef, useState } from "react";
import { createEngine, type EngineOptions, type MidtokenEngine } from "../api/index.ts";

type Progress = Parameters<NonNullable<EngineOptions["onProgress"]>>[0];

export interface EngineState {
  /** Null until the engine's model is loaded. */
  readonly engine: MidtokenEngine | null;
  /** The progress of loading the model; null before and after. */
  readonly progress: Progress | null;
  /** The reason why there is no engine. */
  readonly error: Error | null;
}

const nothing: EngineState = { engine: null, progress: null, error: null };

/**
 * Creates an engine when the component is mounted, disposes of it when the component is unmounted, and replaces it when
 * `model`, `dtype`, `device` or an address of files changes. Changes of other options only affect the next engine. With null as options,
 * no engine is created. Nothing is loaded on a server, nor twice in React's strict mode.
 */
export function useEngine(options: Omit<EngineOptions, "signal"> | null): EngineState {
  const [state, setState] = useState(nothing);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const { model, dtype, device, assetsUrl, workerUrl, sandboxUrl } = options ?? {};
  const key =
    options === null
      ? null
      : JSON.stringify([model, dtype, device, assetsUrl, workerUrl, sandboxUrl].map(asText));
  useEffect(() => {
    setState(nothing);
    if (key === null) return;
    const stop = new AbortController();
    let engine: MidtokenEngine | null = null;
    // Strict mode unmounts and mounts the component again before this timer fires.
    const timer = setTimeout(async () => {
      const { current } = latest;
      const { signal } = stop;
      const onProgress = (progress: Progress) => {
        current?.onProgress?.(progress);
        if (!signal.aborted) setState({ ...nothing, progress });
      };
      try {
        const created = await createEngine({ ...current, signal, onProgress });
        if (signal.aborted) return created.dispose();
        engine = created;
        setState({ ...nothing, engine: created });
      } catch (cause) {
        if (signal.aborted) return;
        setState({ ...nothing, error: cause instanceof Error ? cause : new Error(String(cause)) });
      }
    });
    return () => {
      clearTimeout(timer);
      stop.abort(new DOMException("The component with this engine was unmounted.", "AbortError"));
      engine?.dispose();
    };
  }, [key]);
  return state;
}

/** An address may be a URL object. */
const asText = (value: unknown): unknown => (value instanceof URL ? value.href : value);
