/** What reads and checks what layers said of a file: given to `readingTrace` by those who want it, so that others need not fetch it. */
import { codingLayers } from "./codec/code-layers.ts";
import { checkingLayers } from "./parse-layers.ts";
import type { LayersReading } from "./reading-trace.ts";

export const layersReading: LayersReading = { code: codingLayers, check: checkingLayers };
