/** Simulates two hosts on this machine that each run llama.cpp's RPC server, in network namespaces with their own addresses. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findLlamaServer } from "./find-server.ts";

export interface RpcHosts {
  /** `HOST:PORT` of each host, for `llama-server --rpc`. */
  readonly addresses: readonly string[];
  /** Kills the server program of a host. */
  kill(host: number): Promise<void>;
  start(host: number): Promise<void>;
  /** Bytes that this machine has sent to the host. */
  bytesTo(host: number): number;
  stop(): Promise<void>;
}

/** One line that says why tests with hosts are skipped. */
export const rpcHostsRequirement =
  "two hosts with ggml-rpc-server: needs root, `ip netns`, and the packages of `npm run remote -- install`";

export function canStartRpcHosts(): boolean {
  if (process.getuid?.() !== 0 || rpcProgram() === null) return false;
  const name = `midtoken-probe-${process.pid}`;
  if (spawnSync("ip", ["netns", "add", name]).status !== 0) return false;
  return spawnSync("ip", ["netns", "del", name]).status === 0;
}

/** The program's path below the root of the installed packages; null if it is not there. */
function rpcProgram(): { readonly root: string; readonly path: string } | null {
  const root = findLlamaServer()?.root ?? null;
  const libexec = root === null ? "" : join(root, "usr/libexec");
  if (root === null || !existsSync(libexec)) return null;
  const found = readdirSync(libexec, { recursive: true, encoding: "utf8" }).find((file) =>
    file.endsWith("/ggml-rpc-server"),
  );
  return found === undefined ? null : { root, path: join("/usr/libexec", found) };
}

const port = 50_052;
const count = 2;

/** @throws Error if a host cannot be made */
export async function startRpcHosts(): Promise<RpcHosts> {
  const program = rpcProgram();
  if (!program) throw new Error(`Missing: ${rpcHostsRequirement}.`);
  const hosts = Array.from({ length: count }, (_, number) => hostOf(number));
  const children: (ChildProcess | null)[] = hosts.map(() => null);
  const start = async (number: number): Promise<void> => {
    const { name, address } = hosts[number] as Host;
    const words = ["netns", "exec", name, "chroot", program.root, program.path];
    const child = spawn("ip", [...words, "--host", address, "--port", String(port)], { stdio: "ignore" });
    children[number] = child;
    await untilOpen(address);
  };
  const kill = async (number: number): Promise<void> => {
    const child = children[number];
    children[number] = null;
    if (!child) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // `ip netns exec` and `chroot` are replaced by the program, so this is the program's process.
    child.kill("SIGKILL");
    await ended;
  };
  const stop = async (): Promise<void> => {
    for (const number of hosts.keys()) await kill(number);
    for (const { name } of hosts) spawnSync("ip", ["netns", "del", name]);
  };
  try {
    for (const host of hosts) makeHost(host);
    for (const number of hosts.keys()) await start(number);
  } catch (error) {
    await stop();
    throw error;
  }
  const bytesTo = (number: number): number => {
    const { link } = hosts[number] as Host;
    return Number(readFileSync(`/sys/class/net/${link}/statistics/tx_bytes`, "utf8"));
  };
  return { addresses: hosts.map(({ address }) => `${address}:${port}`), kill, start, bytesTo, stop };
}

interface Host {
  readonly name: string;
  readonly link: string;
  /** Addresses of this machine's end of the link, and of the host's end. */
  readonly gateway: string;
  readonly address: string;
}

function hostOf(number: number): Host {
  // Names of network links have at most 15 characters.
  const id = `mt${process.pid % 100_000}h${number}`;
  const network = `10.${200 + number}.${process.pid % 250}`;
  return { name: `midtoken-${id}`, link: id, gateway: `${network}.1`, address: `${network}.2` };
}

function makeHost({ name, link, gateway, address }: Host): void {
  const inside = `${link}i`;
  ip("netns", "add", name);
  ip("link", "add", link, "type", "veth", "peer", "name", inside);
  ip("link", "set", inside, "netns", name);
  ip("addr", "add", `${gateway}/24`, "dev", link);
  ip("link", "set", link, "up");
  ip("-n", name, "addr", "add", `${address}/24`, "dev", inside);
  ip("-n", name, "link", "set", inside, "up");
  ip("-n", name, "link", "set", "lo", "up");
}

/** @throws Error with the output of `ip` */
function ip(...words: readonly string[]): void {
  const { status, stderr } = spawnSync("ip", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${stderr}`);
}

const startLimitMs = 20_000;

/** @throws Error if nothing listens there after 20 s */
async function untilOpen(address: string): Promise<void> {
  const end = Date.now() + startLimitMs;
  while (!(await isOpen(address))) {
    if (Date.now() > end) throw new Error(`ggml-rpc-server does not listen at ${address}:${port}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isOpen(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1_000 });
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
    socket.once("timeout", () => answer(false));
  });
}
