import { TokenTimeline, useChatCompletion, useEngine } from "midtoken/react";

export function Ask() {
  const { engine, progress, error } = useEngine({ model: "/models/smollm2/" });
  const { text, requestId, status, send, stop } = useChatCompletion(engine);
  if (error) return <p>{error.message}</p>;
  if (!engine) return <p>Loading {progress?.file}</p>;
  const ask = (content: string) => send({ model: "smollm2", messages: [{ role: "user", content }] });
  return (
    <>
      <button type="button" onClick={() => (status === "running" ? stop() : ask("Tell me a story."))}>
        {status === "running" ? "Stop" : "Ask"}
      </button>
      <p>{text}</p>
      <TokenTimeline engine={engine} request={requestId} view="full" />
    </>
  );
}
