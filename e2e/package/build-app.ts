/** Builds the app of a fixture with each tool, as it comes: an entry and a folder for the output, and nothing about midtoken. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, renameSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { join, resolve } from "node:path";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as buildWithEsbuild } from "esbuild";
import { rollup } from "rollup";
import { build as buildWithVite, createServer } from "vite";
import webpack from "webpack";
import { type AppFolder, createApp, modelsFolder } from "./app-folder.ts";
import { serve } from "./serve.ts";

export interface RunningApp {
  readonly address: string;
  close(): Promise<void>;
}

/** Starts an app with the tarball installed. */
export type StartApp = (tarball: string) => Promise<RunningApp>;

/** Written here and no file of the repository: its dev server would look for the scripts of every page. @param before other elements */
function writePage(app: AppFolder, script: string, folder = ".", before = ""): void {
  const page = `<!doctype html><title>midtoken in an app</title>${before}<script type="module" src="${script}"></script>\n`;
  writeFileSync(join(app.path, folder, "index.html"), page);
}

/** Serves the folder in which a tool left the app, below its place. */
async function serveBuilt(app: AppFolder, folder: string): Promise<RunningApp> {
  const served = await serve({ folders: { "/": join(app.path, folder), "/models/": modelsFolder } });
  return {
    address: `${served.origin}/`,
    async close() {
      await served.close();
      app.remove();
    },
  };
}

export const vite: StartApp = async (tarball) => {
  const app = createApp(tarball);
  writePage(app, "/main.js");
  await buildWithVite({ root: app.path, configFile: false, logLevel: "error" });
  return serveBuilt(app, "dist");
};

/** The dev server, with its optimizer of dependencies. */
export const viteDev: StartApp = async (tarball) => {
  const app = createApp(tarball);
  writePage(app, "/main.js");
  cpSync(modelsFolder, join(app.path, "public/models"), { recursive: true });
  const server = await createServer({
    root: app.path,
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  return {
    address: server.resolvedUrls?.local[0] ?? "",
    async close() {
      await server.close();
      app.remove();
    },
  };
};

const webpackIn =
  (mode: "production" | "development"): StartApp =>
  async (tarball) => {
    const app = createApp(tarball);
    const output = { path: join(app.path, "dist") };
    const stats = await new Promise<webpack.Stats | undefined>((done, fail) => {
      webpack({ mode, context: app.path, entry: "./main.js", output }, (error, result) =>
        error ? fail(error) : done(result),
      );
    });
    // Webpack also warns of large files, which are ours by intent.
    const warnings = stats?.compilation.warnings.filter(({ message }) =>
      /critical dependency/i.test(message),
    );
    const problems = [...(stats?.compilation.errors ?? []), ...(warnings ?? [])].map(
      ({ message }) => message,
    );
    if (problems.length > 0) throw new Error(problems.join("\n"));
    writePage(app, "./main.js", "dist");
    return serveBuilt(app, "dist");
  };

export const webpackProduction: StartApp = webpackIn("production");
export const webpackDevelopment: StartApp = webpackIn("development");

export const rollupApp: StartApp = async (tarball) => {
  const app = createApp(tarball);
  const build = await rollup({ input: join(app.path, "main.js"), plugins: [nodeResolve()] });
  await build.write({ dir: join(app.path, "dist"), format: "es" });
  await build.close();
  writePage(app, "./main.js", "dist");
  return serveBuilt(app, "dist");
};

interface EsbuildOptions {
  readonly splitting: boolean;
  readonly format: "esm" | "iife";
  readonly conditions?: string[];
}

async function buildEsbuild(tarball: string, options: EsbuildOptions): Promise<AppFolder> {
  const app = createApp(tarball);
  const entryPoints = [join(app.path, "main.js")];
  const place = { outdir: join(app.path, "dist"), absWorkingDir: app.path };
  await buildWithEsbuild({ entryPoints, bundle: true, logLevel: "error", ...place, ...options });
  writePage(app, "./main.js", "dist");
  return app;
}

const esbuildWith =
  (options: EsbuildOptions): StartApp =>
  async (tarball) =>
    serveBuilt(await buildEsbuild(tarball, options), "dist");

export const esbuildSplit: StartApp = esbuildWith({ splitting: true, format: "esm" });
/** One classic script: without chunks, and without `import.meta`. */
export const esbuildOneFile: StartApp = esbuildWith({ splitting: false, format: "iife" });

/** The policy that a strict page sends with all its files but the sandbox's own page. */
export const strictPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";

/** Where `strictApp` serves a copy of the package's files. */
export const strictOptions = { assetsUrl: "/midtoken", sandboxUrl: "/midtoken/sandbox.html" } as const;

/** Under a strict content security policy, with the package's files served by the app. */
export const strictApp: StartApp = async (tarball) => {
  const conditions = ["midtoken-assets"];
  const app = await buildEsbuild(tarball, { splitting: true, format: "esm", conditions });
  const served = await serve({
    folders: {
      "/": join(app.path, "dist"),
      "/midtoken/": join(app.path, "node_modules/midtoken/dist"),
      "/models/": modelsFolder,
    },
    headers: (path): Record<string, string> =>
      path === strictOptions.sandboxUrl ? {} : { "content-security-policy": strictPolicy },
  });
  return {
    address: `${served.origin}/`,
    async close() {
      await served.close();
      app.remove();
    },
  };
};

/** With Turbopack, which is what Next builds with. */
export const next: StartApp = async (tarball) => {
  const app = createApp(tarball, "next");
  renameSync(join(app.path, "app.js"), join(app.path, "app-code.js"));
  cpSync(modelsFolder, join(app.path, "public/models"), { recursive: true });
  const command = resolve(app.path, "node_modules/next/dist/bin/next");
  const env = {
    ...process.env,
    NODE_ENV: "production" as const,
    NEXT_TELEMETRY_DISABLED: "1",
    STORY_MODEL: resolve(modelsFolder, "stories260k"),
  };
  // Webpack first: the app that is started is Turbopack's.
  for (const words of [["build", "--webpack"], ["build"]]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], {
      cwd: app.path,
      env,
      encoding: "utf8",
    });
    const said = `${stdout}${stderr}`;
    if (status !== 0) throw new Error(`next ${words.join(" ")} failed: ${said}`);
    if (/warn|critical dependency/i.test(said)) throw new Error(`next ${words.join(" ")} warns: ${said}`);
  }
  const port = await freePort();
  const args = [command, "start", "--hostname", "127.0.0.1", "--port", String(port)];
  const server = spawn(process.execPath, args, { cwd: app.path, env, stdio: "ignore" });
  const address = `http://127.0.0.1:${port}/`;
  await untilAnswering(address);
  // A route of the server, which runs `midtoken/node`.
  const route = await fetch(`${address}api/story`);
  if (!route.ok)
    throw new Error(`The route on Next's server answered ${route.status}: ${await route.text()}`);
  return {
    address,
    async close() {
      const ended = new Promise((done) => server.once("exit", done));
      server.kill();
      await ended;
      app.remove();
    },
  };
};

/** No tool: an import map names the package, from its own server or from another origin. */
const importMap =
  (isElsewhere: boolean): StartApp =>
  async (tarball) => {
    const app = createApp(tarball);
    const folder = join(app.path, "node_modules/midtoken/");
    const anyOrigin = () => ({ "access-control-allow-origin": "*" });
    const cdn = isElsewhere
      ? await serve({ folders: { "/npm/midtoken/": folder }, headers: anyOrigin })
      : null;
    const place = cdn ? `${cdn.origin}/npm/midtoken` : "/npm/midtoken";
    const imports = { midtoken: `${place}/dist/index.js` };
    writePage(app, "./main.js", ".", `<script type="importmap">${JSON.stringify({ imports })}</script>`);
    const served = await serve({
      folders: { "/": app.path, "/npm/midtoken/": folder, "/models/": modelsFolder },
    });
    return {
      address: `${served.origin}/`,
      async close() {
        await served.close();
        await cdn?.close();
        app.remove();
      },
    };
  };

export const importMapApp: StartApp = importMap(false);
export const cdnApp: StartApp = importMap(true);

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createNetServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

async function untilAnswering(address: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await fetch(address).catch(() => null);
    if (response?.ok) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${address} did not answer within a minute.`);
}
