"use client";

import { createEngine } from "midtoken";
import { useState } from "react";

const model = "onnx-community/SmolLM2-135M-Instruct-ONNX";

export default function Page() {
  const [text, setText] = useState("");
  async function tell() {
    const engine = await createEngine({ model });
    const messages = [{ role: "user", content: "Tell me a story." }] as const;
    const answer = await engine.chat.completions.create({ model, messages, max_tokens: 40 });
    setText(answer.choices[0]?.message.content ?? "");
    engine.dispose();
  }
  return (
    <main>
      <button type="button" onClick={() => void tell()}>
        Tell
      </button>
      <p>{text}</p>
    </main>
  );
}
