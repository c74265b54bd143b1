/** A component whose code is fetched when it is first shown. If that fails, a message in its place offers to try again. */
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { importProgramPart } from "../../core/base/import-part.ts";
import { PaneBoundary } from "./pane-boundary.tsx";

export interface LazyPartOptions<Name extends string, Props> {
  /** Name of the part, as the beginning of a sentence: "The editor". */
  readonly part: string;
  /** `() => import("./file.tsx")`. */
  readonly load: () => Promise<{ [Key in Name]: ComponentType<Props> }>;
  /** Name of the component among the module's exports. */
  readonly component: Name;
}

export interface PartPlace {
  /** Shown until the code is loaded. */
  readonly placeholder?: ReactNode;
  /** Wraps the message about a failure, for example in a dialog. */
  readonly within?: (fault: ReactNode) => ReactNode;
}

export function lazyPart<Name extends string, Props extends object>({
  part,
  load,
  component,
}: LazyPartOptions<Name, Props>): ComponentType<Props & PartPlace> {
  const fetchPart = () => importProgramPart(part, load, component);
  // `lazy` caches failures like successes, so each attempt makes a new lazy component.
  const attempt = () =>
    lazy(async () => ({ default: (await fetchPart())[component] as ComponentType<object> }));
  let latest = attempt();
  return function LazyPart({ placeholder = null, within, ...props }: Props & PartPlace) {
    const [Part, setPart] = useState(() => latest);
    const retry = () => {
      latest = attempt();
      setPart(() => latest);
    };
    return (
      <PaneBoundary pane={part} onRetry={retry} {...(within && { within })}>
        <Suspense fallback={placeholder}>
          <Part {...props} />
        </Suspense>
      </PaneBoundary>
    );
  };
}
