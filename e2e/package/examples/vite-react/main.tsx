import { createEngine, type MidtokenEngine } from "midtoken";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const model = "onnx-community/SmolLM2-135M-Instruct-ONNX";

/** Null until the model is loaded. Disposed of when the component goes, also in strict mode, which mounts it twice. */
function useMidtoken(): MidtokenEngine | null {
  const [engine, setEngine] = useState<MidtokenEngine | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const created = createEngine({ model, signal: controller.signal });
    created.then(setEngine, () => undefined);
    return () => {
      controller.abort();
      created.then(
        (made) => made.dispose(),
        () => undefined,
      );
    };
  }, []);
  return engine;
}

function Story() {
  const engine = useMidtoken();
  const [text, setText] = useState("");
  async function tell(from: MidtokenEngine) {
    const messages = [{ role: "user", content: "Tell me a story." }] as const;
    const stream = await from.chat.completions.create({ model, messages, max_tokens: 40, stream: true });
    for await (const chunk of stream) setText((before) => before + (chunk.choices[0]?.delta.content ?? ""));
  }
  return (
    <main>
      <button type="button" disabled={!engine} onClick={() => engine && void tell(engine)}>
        Tell
      </button>
      <p>{text}</p>
    </main>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Story />);
