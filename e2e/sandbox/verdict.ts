/** Compares the engine's replies for a hostile guest with the expected replies. */
import type { ModReply } from "../../src/core/decoder/ports/mod-host.ts";
import type { Hostile } from "./hostile.ts";

/** The difference as a sentence; null if there is none. */
export function verdict(
  { faults, action, logs, says = "" }: Hostile,
  { replies, finishReason }: { readonly replies: readonly ModReply[]; readonly finishReason: string | null },
): (string | null)[] {
  if (faults.length === 0)
    return [finishReason === "budget" ? null : `the request ended with ${finishReason}`];
  const wrong = faults.map((expected, index) => {
    const kind = replies[index]?.fault?.kind ?? null;
    if (expected === null ? kind === null : expected.split("|").some((name) => name === "*" || name === kind))
      return null;
    return `answer ${index + 1} was ${kind ?? "accepted"}, not ${expected ?? "accepted"}`;
  });
  const isOther = action !== undefined && JSON.stringify(replies[0]?.action) !== JSON.stringify(action);
  const text = replies.flatMap((reply) => reply.console).reduce((sum, line) => sum + line.text.length, 0);
  const lines = replies.flatMap((reply) => reply.console.map((line) => line.text)).join("\n");
  const said = replies[0]?.fault?.message ?? "";
  return [
    ...wrong,
    said.includes(says) ? null : `it was said to have ended by: ${said}`,
    isOther ? `the action was ${JSON.stringify(replies[0]?.action)}` : null,
    logs === undefined || lines === logs ? null : `its console said: ${lines}`,
    text > 80_000 ? `${text} characters of console came through` : null,
  ];
}
