/** Shows the progress of reading a record. The code is loaded only if reading takes long. */
import type { ComponentProps } from "react";
import { useStore } from "zustand";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import type { RunReadingProgress } from "../store/reading-run.ts";
import type { ReadingBanner } from "./reading-banner.tsx";

const Banner = lazyPart({
  part: "The progress bar",
  load: () => import("./reading-banner.tsx"),
  component: "ReadingBanner",
});

type Props = ComponentProps<typeof ReadingBanner>;

export function LazyReadingBanner(props: Props) {
  const reading = useStore(props.run, (state) => state.reading);
  return reading && <WhereLong {...props} reading={reading} />;
}

function WhereLong({ reading, ...props }: Props & { readonly reading: RunReadingProgress }) {
  const hasProgress = useStore(reading.share, ({ done }) => done !== null);
  return hasProgress && <Banner {...props} />;
}
