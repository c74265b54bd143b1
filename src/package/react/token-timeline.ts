/** `<TokenTimeline>`: the element `<token-timeline>` as a component of React 18 and 19. */
import {
  type CSSProperties,
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type RefAttributes,
  useEffect,
  useImperativeHandle,
  useRef,
} from "react";
import type {
  RequestsOwner,
  TimelinePanel,
  TimelineTheme,
  TimelineView,
  TokenSelection,
  TokenTimelineElement,
  TokenTimelineEventMap,
  TraceFile,
} from "../element/index.ts";
import "../element/index.ts";
import type { Trace } from "../../core/trace/format/format.ts";

/** Shows one of `src`, `file`, `trace` and `engine`. `docs/timeline.md` describes each. */
export interface TokenTimelineProps {
  /** A permalink, its fragment, or the address of a `.trace` file. */
  readonly src?: string;
  readonly file?: TraceFile | null;
  readonly trace?: Trace | null;
  /** Follows a request of this engine while it runs: the one with the id `request`, or by default each newest one. */
  readonly engine?: RequestsOwner | null;
  readonly request?: string | null;
  readonly view?: TimelineView;
  /** The panel that is open until the user opens another one. */
  readonly panel?: TimelinePanel;
  readonly theme?: TimelineTheme;
  readonly shade?: boolean;
  readonly fold?: boolean;
  /** The selected tokens. If undefined, the component does not change the selection. */
  readonly selection?: TokenSelection | null;
  readonly onLoad?: (detail: TokenTimelineEventMap["load"]["detail"]) => void;
  readonly onError?: (error: Error) => void;
  readonly onTokenSelect?: (detail: TokenTimelineEventMap["tokenselect"]["detail"]) => void;
  readonly className?: string;
  readonly style?: CSSProperties;
  readonly id?: string;
}

/** `ref` gets the element. On a server it renders an empty element, which the browser fills. */
export const TokenTimeline: ForwardRefExoticComponent<
  TokenTimelineProps & RefAttributes<TokenTimelineElement>
> = forwardRef(function TokenTimeline(props: TokenTimelineProps, ref) {
  const { src, view, panel, theme, shade, fold, className, style, id } = props;
  const { file = null, trace = null, engine = null, request = null, selection } = props;
  const element = useRef<TokenTimelineElement>(null);
  useImperativeHandle(ref, () => element.current as TokenTimelineElement, []);

  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  // Adds the listeners before the effects that set the sources, so that an error which is reported at once is received.
  useEffect(() => {
    const timeline = element.current;
    if (!timeline) return;
    const stop = new AbortController();
    const { signal } = stop;
    timeline.addEventListener("load", ({ detail }) => latest.current.onLoad?.(detail), { signal });
    timeline.addEventListener("error", ({ detail }) => latest.current.onError?.(detail.error), { signal });
    timeline.addEventListener("tokenselect", ({ detail }) => latest.current.onTokenSelect?.(detail), {
      signal,
    });
    return () => stop.abort();
  }, []);
  useEffect(() => {
    if (element.current) element.current.file = file;
  }, [file]);
  useEffect(() => {
    if (element.current) element.current.trace = trace;
  }, [trace]);
  useEffect(() => {
    if (!element.current) return;
    element.current.request = request;
    element.current.engine = engine;
  }, [engine, request]);
  const anchor = selection?.anchor;
  const cursor = selection?.cursor;
  const isSelected = selection !== undefined;
  useEffect(() => {
    if (!element.current || !isSelected) return;
    element.current.selection = anchor === undefined || cursor === undefined ? null : { anchor, cursor };
  }, [anchor, cursor, isSelected]);

  // React 18 would write `false` as the text "false", and does not support `className` for custom elements.
  return createElement("token-timeline", {
    ref: element,
    id,
    style,
    src,
    view,
    panel,
    theme,
    class: className,
    shade: shade || undefined,
    fold: fold || undefined,
  });
});
