/** What reads and checks what layers said of a file: given to `readingTrace` by those who want it, so that others need not fetch it. */

import { checkingLayers } from "../parse/parse-layers.ts";
import { codingLayers } from "./code-layers.ts";
import type { LayersReading } from "./reading-trace.ts";

export const layersReading: LayersReading = { code: codingLayers, check: checkingLayers };
