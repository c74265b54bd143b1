/** The real page over a replayed run. `?every=MS` sets the pace. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../../../src/page/app/app.css";
import { sampleTrace } from "../../../src/core/trace/testing/sample-trace.ts";
import { startPlayground } from "../../../src/page/app/playground-start.tsx";
import { replaySession } from "./replay-session.ts";

const every = Number(new URLSearchParams(location.search).get("every") ?? 5);
const reference = {
  id: "stories260k",
  url: new URL("/models/stories260k/", location.href).href,
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
};

const entry = {
  title: "Stories 260K",
  description: "Tells small children's stories. Comes with the page and works offline.",
  reference,
  origin: "page" as const,
  tier: "story" as const,
  parameters: 260_032,
  architecture: null,
  chatTemplate: null,
  weights: [{ dtype: "fp32" as const, bytes: 1_337_930 }],
  float16Overflows: false,
  measured: true,
  hub: null,
  licence: "MIT",
  contextLength: 512,
  downloadBytes: 1_354_402,
  needs: [],
  suggestedPrompt: "Once upon a time",
};

const query = new URLSearchParams(location.search);
const root = document.getElementById("root");
if (!root) throw new Error("No root.");
startPlayground(root, () => ({
  session: replaySession(sampleTrace({ tokens: Number(query.get("tokens") ?? 300) }).records, every),
  answerFormatProblem: async () => null,
  listModels: async () => [entry],
  readModels: async () => [entry],
}));
