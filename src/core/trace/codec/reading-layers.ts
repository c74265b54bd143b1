/**
 * Reads and checks the recorded layers of a file. Callers that need layers pass this reader to `readingTrace`; others
 * need not load it.
 */

import { checkingLayers } from "../parse/parse-layers.ts";
import { codingLayers } from "./code-layers.ts";
import type { LayersCodec } from "./trace-sink.ts";

export const layersCodec: LayersCodec = { code: codingLayers, check: checkingLayers };
