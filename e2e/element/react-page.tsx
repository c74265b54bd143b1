/** A chat with a mod and a timeline, as an app would write it, in strict mode. */
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { serializeMod } from "../../src/package/api/index.ts";
import { TokenTimeline, useChatCompletion, useEngine } from "../../src/package/react/index.ts";

const greeting = serializeMod(
  `import { mod } from "midtoken/mod";
export default mod({
  sampled(event, actions) {
    if (event.step === 0) return actions.forceTokens("Hello, dear reader.");
  },
});
`,
  { name: "greeting", description: "Begins with a greeting." },
);

function Chat() {
  const { engine, progress, error } = useEngine({ model: "/models/stories260k/", dtype: "fp32" });
  const { text, status, requestId, send, stop, error: failure } = useChatCompletion(engine);
  const [picked, setPicked] = useState("");
  const ask = async (maxTokens: number, isStopped: boolean) => {
    await engine?.mods.register(greeting);
    const messages = [{ role: "user", content: "Once upon a time" }] as const;
    // A mod is waited for also where the machine has no time for it.
    const midtoken = { deadlines: { event: 60_000 } };
    const asked = send({ model: "stories260k/greeting", messages, max_tokens: maxTokens, seed: 3, midtoken });
    if (isStopped) stop();
    await asked;
  };
  if (!engine) return <p id="state">{error?.message ?? progress?.stage ?? "no engine"}</p>;
  return (
    <>
      <p id="state">{failure?.message ?? status}</p>
      <button type="button" onClick={() => ask(24, false)}>
        Ask
      </button>
      <button type="button" onClick={() => ask(400, true)}>
        Ask for much, and stop
      </button>
      <p id="text">{text}</p>
      <p id="picked">{picked}</p>
      <TokenTimeline
        className="timeline"
        engine={engine}
        request={requestId}
        shade
        onTokenSelect={({ text }) => setPicked(text)}
      />
    </>
  );
}

function App() {
  const [isShown, setShown] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        Take away or put back
      </button>
      {isShown && <Chat />}
    </>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element with the id root.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
