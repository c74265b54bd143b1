/**
 * A Vite plugin for live runs with a signalling server elsewhere. `MIDTOKEN_SIGNALLING=wss://host/path npm run build` makes a
 * page that uses this server (`npm start -- --live --live-origin ORIGIN-OF-THE-PAGE` on that host); `MIDTOKEN_ICE`, a JSON list,
 * names STUN and TURN servers. Without these variables the build keeps `public/live.json`, which names no server.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin } from "vite";
import { parseSignallingConfig } from "../src/page/live/signalling.ts";

interface Environment {
  readonly MIDTOKEN_SIGNALLING?: string | undefined;
  readonly MIDTOKEN_ICE?: string | undefined;
}

/** The contents of `live.json`; null if the build was given no server. @throws LiveError for an invalid value */
export function liveJson({ MIDTOKEN_SIGNALLING: signalling, MIDTOKEN_ICE: ice }: Environment): object | null {
  if (!signalling) return null;
  const json = { signalling, ...(ice && { iceServers: JSON.parse(ice) as unknown }) };
  parseSignallingConfig(json, "https://page.invalid/");
  return json;
}

/** Additional sources of the page's policy: exactly the signalling server's origin. */
export function signallingOriginSources(environment: Environment = process.env): readonly string[] {
  const json = liveJson(environment);
  const signalling = json && parseSignallingConfig(json, "https://page.invalid/");
  if (!signalling) return [];
  const { protocol, host, hostname } = new URL(signalling.url);
  return hostname === "page.invalid" ? [] : [`${protocol}//${host}`];
}

export function liveRunsPlugin(): Plugin {
  let folder = "";
  return {
    name: "midtoken-live",
    apply: "build",
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    writeBundle() {
      const json = liveJson(process.env);
      if (json) writeFileSync(`${folder}/live.json`, `${JSON.stringify(json)}\n`);
    },
  };
}
