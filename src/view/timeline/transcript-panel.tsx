/** The transcript in a panel, one page at a time. */
import type { ComponentProps } from "react";
import { Transcript, transcriptPageLimits } from "./transcript.tsx";

export function TranscriptPanel(props: Omit<ComponentProps<typeof Transcript>, "most">) {
  return <Transcript {...props} most={transcriptPageLimits.panel} />;
}
