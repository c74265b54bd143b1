/** Reads `--engine` and `--engine-key-file` of `npm start`. */
import { readFileSync } from "node:fs";
import { messageOf } from "../src/core/base/message-of.ts";
import { ServerConnection, serverAddress } from "../src/runtime/remote/connection.ts";
import type { EngineRelayOptions } from "./engine-relay.ts";

interface Given {
  readonly engine: string | undefined;
  readonly keyFile: string | undefined;
  /** The value of MIDTOKEN_ENGINE_KEY: other users of the machine can read the arguments of a command, but not its environment. */
  readonly keyOfEnvironment: string | undefined;
}

/** Null without `--engine`. @throws Error; its message never contains the key */
export function readRelayOptions({ engine, keyFile, keyOfEnvironment }: Given): EngineRelayOptions | null {
  if (engine === undefined) {
    if (keyFile !== undefined) throw new Error("--engine-key-file needs --engine: give both.");
    return null;
  }
  const key = keyFile === undefined ? keyOfEnvironment?.trim() : readKey(keyFile);
  const access = { url: engine, ...(key && { key }) };
  // Makes a connection only to check the key.
  new ServerConnection(access, () => Promise.reject(new Error("Nothing is sent.")));
  return { ...access, url: serverAddress(engine) };
}

function readKey(file: string): string {
  let key: string;
  try {
    key = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`--engine-key-file is "${file}", which cannot be read: ${messageOf(error)}`);
  }
  if (key !== "") return key;
  throw new Error(`The file ${file} of --engine-key-file is empty: write the model server's key into it.`);
}
