/** The page of the AI SDK's suite: every function here is called from Node. */
import { useChat } from "@ai-sdk/react";
import { DirectChatTransport, ToolLoopAgent } from "ai";
import { createRoot } from "react-dom/client";
import { createMidtoken } from "../../../src/package/ai-sdk/index.ts";
import { aiSdkTestCases } from "../../../src/package/ai-sdk/testing/ai-cases.ts";
import { createEngine, type MidtokenEngine } from "../../../src/package/api/index.ts";

let engine: MidtokenEngine;
let model = "";

async function open(address: string, dtype: string): Promise<void> {
  engine = await createEngine({ model: address, dtype, device: "wasm" });
  model = engine.models.list()[0]?.id ?? "";
}

const names = (): readonly string[] => aiSdkTestCases.map(({ name }) => name);

/** Null if the case holds, else what is wrong. */
async function runCase(name: string): Promise<string | null> {
  try {
    await aiSdkTestCases.find((each) => each.name === name)?.run(engine, model);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Draws a chat on `useChat`, whose model runs in this page. */
function showChat(): void {
  const agent = new ToolLoopAgent({
    model: createMidtoken(engine)(model),
    temperature: 0,
    maxOutputTokens: 8,
  });
  const transport = new DirectChatTransport({ agent });
  createRoot(document.getElementById("root") as HTMLElement).render(<ChatView transport={transport} />);
}

function ChatView({ transport }: { readonly transport: DirectChatTransport<never> }) {
  const { messages, sendMessage, status } = useChat({ transport });
  return (
    <main>
      <output>{status}</output>
      {messages.map(({ id, role, parts }) => (
        <p key={id} data-role={role}>
          {parts.map((part) => (part.type === "text" ? part.text : ""))}
        </p>
      ))}
      <button type="button" onClick={() => void sendMessage({ text: "Once upon a time" })}>
        Send
      </button>
    </main>
  );
}

const aiBench = { open, names, runCase, showChat };
export type AiBench = typeof aiBench;
Object.assign(globalThis, { aiBench });
