/** The real page over a replayed run. `?every=MS` sets the pace. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../../../src/app/app.css";
import { createRoot } from "react-dom/client";
import { App, type PlaygroundProps } from "../../../src/app/app.tsx";
import { PlaygroundStart } from "../../../src/app/playground-start.tsx";
import { createPageStores } from "../../../src/app/store/stores.ts";
import { followTheme } from "../../../src/app/theme.ts";
import { sampleTrace } from "../../../src/trace/testing/sample-trace.ts";
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
  hub: null,
  licence: "MIT",
  contextLength: 512,
  downloadBytes: 1_354_402,
  needs: [],
  suggestedPrompt: "Once upon a time",
};

function Playground({ page }: PlaygroundProps) {
  const startEngine = () => ({
    session: replaySession(
      sampleTrace({ tokens: Number(new URLSearchParams(location.search).get("tokens") ?? 300) }).records,
      every,
    ),
    answerFormatProblem: async () => null,
    listModels: async () => [entry],
  });
  return <PlaygroundStart page={page} startEngine={startEngine} />;
}

const root = document.getElementById("root");
if (!root) throw new Error("No root.");
const page = createPageStores();
followTheme(page.settings);
createRoot(root).render(<App page={page} loadPlayground={async () => ({ Playground })} />);
