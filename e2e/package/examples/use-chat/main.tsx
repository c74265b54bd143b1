import { useChat } from "@ai-sdk/react";
import { DirectChatTransport, ToolLoopAgent } from "ai";
import { createEngine } from "midtoken";
import { createMidtoken, readMidtokenMetadata } from "midtoken/ai-sdk";
import { mod } from "midtoken/mod";
import { createRoot } from "react-dom/client";

const model = "onnx-community/SmolLM2-135M-Instruct-ONNX";
const engine = await createEngine({ model });
const max = mod({ added: ({ step }, actions) => (step === 2 ? actions.forceTokens(" Max") : undefined) });
engine.mods.registerTrusted(max, { name: "max" });
const agent = new ToolLoopAgent({ model: createMidtoken(engine)(`${model}/max`), maxOutputTokens: 40 });
const transport = new DirectChatTransport({ agent });

function Chat() {
  const { messages, sendMessage, status } = useChat({ transport });
  return (
    <main data-status={status}>
      {messages.flatMap(({ id, role, parts }) =>
        parts.map((part) => {
          if (part.type !== "text") return null;
          const did = readMidtokenMetadata(part.providerMetadata)?.interventions ?? [];
          const who = did.map(({ mod: name, kind, text }) => `${name}: ${kind}${text ?? ""}`).join(", ");
          return (
            <p key={id} data-role={role} title={who}>
              {part.text}
            </p>
          );
        }),
      )}
      <button type="button" onClick={() => void sendMessage({ text: "Tell me a story." })}>
        Send
      </button>
    </main>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Chat />);
