/** Starts a PostgreSQL server for a test. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { freePort } from "../../../../scripts/remote/start-server.ts";

/** Debian installs each version in a folder that is not in PATH. */
const installed = "/usr/lib/postgresql";

function findPrograms(): string | null {
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  const folders = newestFirst.map((version) => join(installed, version, "bin"));
  return folders.find((folder) => existsSync(join(folder, "initdb"))) ?? null;
}

type User = { readonly uid?: number; readonly gid?: number };

/** PostgreSQL refuses to run as root, so root runs it as the user that Debian's package adds. Null if that user is missing. */
function findUser(): User | null {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((option) =>
    spawnSync("id", [option, "postgres"], { encoding: "utf8" }),
  );
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null;
}

const programs = findPrograms();
const user = findUser();

export const hasPostgres: boolean = programs !== null && user !== null;

/** The reason why tests with PostgreSQL are skipped, in one line. */
export const postgresMissing = "a real PostgreSQL: install postgresql";

export interface PostgresServer {
  /** With user and password. */
  readonly url: string;
  /** Ends the process at once, as a crash does. */
  stop(): Promise<void>;
  /** Starts it again, with its data, at the same address. */
  start(): Promise<void>;
  /** Ends the process and deletes its data. */
  end(): Promise<void>;
}

export const postgresPassword = "postgres-password-0123456789abcdef";

/** @throws Error if the server does not start */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-postgres-"));
  const data = join(folder, "data");
  makeCluster(folder, data);
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const words = ["-D", data, "-h", "127.0.0.1", "-p", `${port}`, "-k", folder, "-F"];
    const started = spawn(join(programs ?? "", "postgres"), words, {
      ...user,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      started.stderr.on("data", (text) => {
        log += text;
        if (log.includes("ready to accept connections")) resolve();
      });
      started.once("exit", () => reject(new Error(`postgres ended: ${log}`)));
    });
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = null;
    if (!running) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    // An "immediate shutdown". After SIGKILL, its other processes would go on for a while.
    running.kill("SIGQUIT");
    await ended;
  };
  const end = async (): Promise<void> => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  await start();
  return { url: `postgres://postgres:${postgresPassword}@127.0.0.1:${port}/postgres`, stop, start, end };
}

/** A cluster that `initdb` made, which takes a second of processor time: later servers begin with a copy. */
const cachedCluster = resolve(
  import.meta.dirname,
  "../../../../node_modules/.cache/midtoken-postgres",
  createHash("sha256").update(`${programs} ${postgresPassword}`).digest("hex").slice(0, 16),
);

function makeCluster(folder: string, data: string): void {
  const { uid, gid } = user ?? {};
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  if (!existsSync(cachedCluster)) {
    runInitdb(folder, data);
    cacheCluster(data);
    return;
  }
  execFileSync("cp", ["-R", cachedCluster, data]);
  execFileSync("chmod", ["-R", "go-rwx", data]);
  if (uid !== undefined && gid !== undefined) execFileSync("chown", ["-R", `${uid}:${gid}`, data]);
}

/** Copies into another folder, which is renamed: other processes see the whole cluster or none. */
function cacheCluster(data: string): void {
  mkdirSync(dirname(cachedCluster), { recursive: true });
  const aside = mkdtempSync(`${cachedCluster}-`);
  execFileSync("cp", ["-R", data, join(aside, "data")]);
  try {
    renameSync(join(aside, "data"), cachedCluster);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(cachedCluster)) throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

function runInitdb(folder: string, data: string): void {
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, postgresPassword);
  const { uid, gid } = user ?? {};
  if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
  const words = ["-D", data, "-U", "postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const options = ["--no-sync", "--no-locale", "--encoding=UTF8"];
  execFileSync(join(programs ?? "", "initdb"), [...words, ...options], {
    ...user,
    cwd: folder,
    stdio: "pipe",
  });
}
