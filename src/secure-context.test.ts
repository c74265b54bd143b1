/**
 * Browsers withhold some APIs from pages at insecure addresses (http:// on another host than localhost). Each file that uses
 * such an API stands here, with what happens where the API is missing. `e2e/page/insecure.spec.ts` opens the page there.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Text of a use → files that have it → what happens without the API. */
const uses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "crypto.randomUUID": {},
  "crypto.subtle": {
    "src/runtime/engine/storage/sha256.ts":
      "only a model store hashes, and insecure pages have no model store",
  },
  "navigator.clipboard": { "src/view/ui/copy-text.ts": "a selected field is copied" },
  "navigator.deviceMemory": {
    "src/runtime/engine/choose/device.ts": "the memory is unknown",
    "src/runtime/engine/graph/expand-weights.ts": "the memory is unknown",
    "src/runtime/session/shared/memory-budget.ts": "the memory is unknown",
  },
  "navigator.gpu": { "src/runtime/engine/choose/device.ts": "says the reason; models run on WebAssembly" },
  "navigator.locks": {
    "src/package/node/disk-store.ts": "Node 20 has none either: locks of this process alone",
    "src/page/app/store/browser-storage.ts":
      "undefined: runs are saved without locks, tabs do not wait for each other, and a tab that breaks down is not noticed",
    "src/runtime/engine/storage/browser-store.ts": "locks of this page alone",
    "src/package/http/serve-from-this-tab.ts": "registerWorker refuses first, with the reason",
    "src/package/http/service-worker.ts": "service workers run on secure pages alone",
    "src/package/http/register-worker.ts": "refuses with the reason",
  },
  "navigator.serviceWorker": {
    "src/page/app/offline/offline-dialog.tsx": "optional call",
    "src/page/app/offline/cached-page.ts": "nothing is saved: null",
    "src/page/app/offline/offline-use.ts": "optional call; without a service worker nothing is saved",
    "src/page/app/offline/cached-page-parts.tsx": "says the reason",
    "src/package/http/register-worker.ts": "refuses with the reason",
    "src/package/http/serve-from-this-tab.ts": "registerWorker refuses first, with the reason",
  },
  "navigator.storage": {
    "src/page/app/offline/ask-persist.ts": "not asked",
    "src/page/runs/storage-room.ts": "the room is unknown",
    "src/page/app/history/persist.tsx": "shown only where storage answered `persisted`",
    "src/runtime/engine/storage/browser-store.ts": "no model store: models load again at each visit",
    "src/runtime/engine/storage/opfs-tree.ts": "called by the model store alone",
  },
};

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "testing" ? [] : sources(path);
    return /(?<!\.test|\.test-types|\.conformance)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const withoutComments = (code: string) => code.replace(/\/\*.*?\*\//gs, "").replace(/^\s*\/\/.*$/gm, "");
const code = new Map(sources("src").map((path) => [path, withoutComments(readFileSync(path, "utf8"))]));

/** Also `navigator?.storage`, `(navigator as { storage?: … }).storage` and `const { storage } = navigator`. */
function patternOf(api: string): RegExp {
  const [owner, name] = api.split(".");
  return new RegExp(`\\b${owner}\\b[^;"]*?\\b${name}\\b|\\b${name}\\b[^;{}]*\\} = [^;]*\\b${owner}\\b`);
}

test.each(Object.entries(uses))("%s is used only where its absence is handled", (api, files) => {
  const pattern = patternOf(api);
  const found = [...code].filter(([, text]) => pattern.test(text)).map(([path]) => path);
  expect(found.sort()).toEqual(Object.keys(files).sort());
});
