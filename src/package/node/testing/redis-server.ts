/** Starts a Redis server for a test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { freePort } from "../../../../scripts/remote/start-server.ts";

export const hasRedis: boolean = spawnSync("redis-server", ["--version"]).status === 0;

/** The reason why tests with Redis are skipped, in one line. */
export const redisMissing = "a real Redis: install redis-server";

export interface RedisServer {
  readonly url: string;
  /** Ends the process at once. */
  stop(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  start(): Promise<void>;
  /** The same as `stop`: nothing is left on the disk. */
  end(): Promise<void>;
}

/** @throws Error if the server does not start */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const words = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--dir", tmpdir()];
    const started = spawn("redis-server", words, { stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      started.stdout.on("data", (text) => {
        log += text;
        if (log.includes("Ready to accept connections")) resolve();
      });
      started.once("exit", () => reject(new Error(`redis-server ended: ${log}`)));
    });
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = null;
    if (!running) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, stop, start, end: stop };
}
