/** The meaning of each mark that a run has, above the text of a link: in one line, or in a menu where the line has no room. */
import { useLayoutEffect, useRef, useState } from "react";
import { LegendButton, type RunLegendProps, useLegendMarks } from "../read/legend-button.tsx";
import { MarkLegend } from "../read/mark-legend.tsx";

export function LinkLegend({ run }: RunLegendProps) {
  const has = useLegendMarks(run);
  const place = useRef<HTMLDivElement>(null);
  const isWide = useHasRoom(place, has);
  return (
    <div ref={place} className="link-legend">
      {isWide ? <MarkLegend className="link-marks" has={has} /> : <LegendButton run={run} />}
    </div>
  );
}

/** Whether the line has room in `place`. `marks` is another value when the line has other words. */
function useHasRoom(place: React.RefObject<HTMLElement | null>, marks: unknown): boolean {
  const [hasRoom, setHasRoom] = useState(true);
  const lineWidth = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line with other words, or drawn again, is measured again
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => {
      const line = element.querySelector("dl");
      // Without the line, its last width says when it would have room.
      if (line) lineWidth.current = line.offsetWidth;
      setHasRoom(lineWidth.current <= element.clientWidth);
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [marks, hasRoom]);
  return hasRoom;
}
