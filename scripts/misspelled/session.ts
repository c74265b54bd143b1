/** The calls of a session, and what apps give to its requests: mods, messages, breakpoints, the options of a text stream. */
import { encodePermalink } from "../../src/core/trace/index.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { TextStream } from "../../src/core/trace/text/text-stream.ts";
import { createSession } from "../../src/runtime/session/page-side/client.ts";
import { openEngineWorker } from "../../src/runtime/session/page-side/open-engine-worker.ts";
import { RunCommands } from "../../src/runtime/session/page-side/run-commands.ts";
import { type BreakpointRule, breakpointProblem } from "../../src/runtime/session/shared/breakpoint.ts";
import { called, type Json, type Place, user } from "./place.ts";

const session = createSession();
const run = (request: Json) => session.run({ mods: [], messages: [], ...request } as never, () => undefined);
const answer = { role: "assistant", content: null };
const verify = (request: Json) =>
  session.verify({ requestId: "1", records: [], mods: [], ...request } as never);
const breakpoints: readonly BreakpointRule[] = [
  { type: "event", event: "added" },
  { type: "text", text: "a" },
  { type: "probability", below: 0.5 },
  { type: "action", action: "any", mod: null },
];
const { handle: commands } = new RunCommands("1", () => undefined);
const watched = { signal: AbortSignal.abort(), onProgress: () => undefined };
const file = { name: "a", source: "a" };
const reference = {
  id: "a",
  url: "https://example.com/a/",
  revision: null,
  dtype: { webgpu: "auto", wasm: "auto" },
};

export const sessionPlaces: readonly Place[] = [
  {
    what: "loadModel",
    path: "",
    read: (extra) => session.loadModel(reference, "wasm", { ...watched, ...extra }),
  },
  {
    what: "readLayers of a session",
    path: "",
    read: (extra) => session.readLayers({ tokens: [0], places: [0] }, extra),
  },
  {
    what: "setHubAccess",
    path: "",
    read: (extra) => session.setHubAccess({ token: "a", origin: "b", ...extra }),
  },
  { what: "setServerAccess", path: "", read: (extra) => session.setServerAccess({ url: "a", ...extra }) },
  { what: "openEngineWorker", path: "", read: (extra) => openEngineWorker(extra) },
  { what: "options of run", path: "", read: (extra) => session.run({} as never, () => undefined, extra) },
  { what: "request of run", path: "", read: (extra) => run({ ...extra }) },
  { what: "mod of run", path: "mods[0]", read: (extra) => run({ mods: [{ ...file, ...extra }] }) },
  {
    what: "limits of a mod of run",
    path: "mods[0].limits",
    read: (extra) => run({ mods: [{ ...file, limits: extra }] }),
  },
  { what: "sampling of run", path: "sampling", read: (extra) => run({ sampling: extra }) },
  { what: "deadlines of run", path: "deadlines", read: (extra) => run({ deadlines: extra }) },
  {
    what: "deadlines of a mod of run",
    path: "mods[0].limits.deadlines",
    read: (extra) => run({ mods: [{ ...file, limits: { deadlines: extra } }] }),
  },
  {
    what: "branch point of run",
    path: "branchPoint",
    read: (extra) => run({ branchPoint: { records: [], at: 0, token: null, ...extra } }),
  },
  {
    what: "message of run",
    path: "messages[0]",
    read: (extra) => run({ messages: [{ ...user, ...extra }] }),
  },
  {
    what: "tool call of run",
    path: "messages[0].tool_calls[0]",
    read: (extra) => run({ messages: [{ ...answer, tool_calls: [{ ...called, ...extra }] }] }),
  },
  {
    what: "called function of run",
    path: "messages[0].tool_calls[0].function",
    read: (extra) =>
      run({
        messages: [{ ...answer, tool_calls: [{ ...called, function: { ...called.function, ...extra } }] }],
      }),
  },
  {
    what: "tokenizePrompt",
    path: "",
    read: (extra) => session.tokenizePrompt({ messages: [user], ...extra }),
  },
  {
    what: "message of tokenizePrompt",
    path: "messages[0]",
    read: (extra) => session.tokenizePrompt({ messages: [{ ...user, ...extra }] }),
  },
  { what: "verify", path: "", read: (extra) => verify(extra) },
  { what: "mod of verify", path: "mods[0]", read: (extra) => verify({ mods: [{ ...file, ...extra }] }) },
  { what: "deadlines of verify", path: "deadlines", read: (extra) => verify({ deadlines: extra }) },
  ...breakpoints.flatMap((rule): readonly Place[] => [
    {
      what: `rule of a breakpoint: ${rule.type}`,
      path: "",
      read(extra) {
        const problem = breakpointProblem({ ...rule, ...extra });
        if (problem !== null) throw new Error(problem);
      },
    },
    {
      what: `breakpoint: ${rule.type}`,
      path: "breakpoints[0]",
      read: (extra) => commands.setBreakpoints([{ ...rule, id: "1", enabled: true, ...extra }]),
    },
  ]),
  {
    what: "parts of encodePermalink",
    path: "",
    read: (extra) => encodePermalink(sampleTrace({ tokens: 1 }), extra),
  },
  {
    what: "options of a text stream",
    path: "",
    read: (extra) => new TextStream({ holdback: 0, ...extra }),
  },
];
