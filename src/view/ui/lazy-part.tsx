/** A component whose code is fetched when it is first shown. Where that fails, its place says so and offers to try again. */
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { importPart } from "../../core/base/import-part.ts";
import { PaneBoundary } from "./pane-boundary.tsx";

interface LazyPartOptions<Name extends string, Props> {
  /** In words that begin a sentence: "The editor". */
  readonly part: string;
  /** `() => import("./file.tsx")`. */
  readonly load: () => Promise<{ [Key in Name]: ComponentType<Props> }>;
  /** Name of the component among the module's exports. */
  readonly component: Name;
}

interface PartPlace {
  /** Shown until the code is there. */
  readonly placeholder?: ReactNode;
  /** Puts the words about a failure where they belong, for example into a dialog. */
  readonly within?: (fault: ReactNode) => ReactNode;
}

export function lazyPart<Name extends string, Props extends object>({
  part,
  load,
  component,
}: LazyPartOptions<Name, Props>): ComponentType<Props & PartPlace> {
  const fetchPart = () => importPart(part, load, component);
  // `lazy` keeps a failure as it keeps a success, so each attempt makes a new lazy component.
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
