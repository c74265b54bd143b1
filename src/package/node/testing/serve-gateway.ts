/** `midtoken serve --engine` in this process, with OpenAI's client. */
import OpenAI from "openai";
import { bundledModel, type CommandResult, runMidtoken } from "./test-terminal.ts";

export interface ServingGateway {
  /** The API's address, `http://127.0.0.1:PORT/v1`. */
  readonly address: string;
  readonly client: OpenAI;
  /** The lines of the log so far. */
  readonly lines: readonly string[];
  /** As Ctrl-C does. Resolves when the server has ended. */
  stop(): Promise<CommandResult>;
}

/** @throws Error with what the command told if it ends before it listens. */
export async function serveGateway(
  engines: readonly string[],
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServingGateway> {
  const stopped = new AbortController();
  const lines: string[] = [];
  const given = ["serve", "--model", bundledModel, "--port", "0"];
  const servers = engines.flatMap((url) => ["--engine", url]);
  let found: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    found = resolve;
  });
  const ended = runMidtoken([...given, ...servers, ...words], {
    environment,
    signal: stopped.signal,
    onWrite: (text) => found(/http:\S+/.exec(text)?.[0] ?? ""),
    onTell: (line) => lines.push(line),
  });
  const address = await Promise.race([
    listening,
    ended.then(({ errors }): never => {
      throw new Error(errors);
    }),
  ]);
  return {
    address,
    client: new OpenAI({ apiKey: "none", baseURL: address, maxRetries: 0 }),
    lines,
    stop() {
      stopped.abort(new DOMException("Stopped.", "AbortError"));
      return ended;
    },
  };
}
