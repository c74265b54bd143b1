import { createEngine } from "midtoken";
import "midtoken/timeline";

const engine = await createEngine({ model: "/models/smollm2/" });
const timeline = document.querySelector("token-timeline");
if (timeline) timeline.engine = engine;
