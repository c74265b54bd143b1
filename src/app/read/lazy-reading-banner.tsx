/** What says how far a record is read: fetched where one takes long. */
import type { ComponentProps } from "react";
import { useStore } from "zustand";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { ReadingBanner } from "./reading-banner.tsx";

const Banner = lazyPart({
  part: "The progress",
  load: () => import("./reading-banner.tsx"),
  component: "ReadingBanner",
});

export function LazyReadingBanner(props: ComponentProps<typeof ReadingBanner>) {
  const isReading = useStore(props.run, ({ reading }) => reading !== null);
  return isReading && <Banner {...props} />;
}
