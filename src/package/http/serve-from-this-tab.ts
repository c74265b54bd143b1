/** The tab's side: this page's engine serves OpenAI's API to all pages of the site. */
import { checkOptionKeys } from "../../core/base/known-keys.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createFetchHandler, type FetchHandler } from "./fetch-handler.ts";
import { registerServiceWorker } from "./register-worker.ts";
import { respondOverPort } from "./respond-over-port.ts";
import {
  apiPath,
  leaderLockName,
  newTabLockName,
  type ServiceWorkerCommand,
  type TabRequest,
} from "./tab-link.ts";

export interface ServeOptions {
  /** Address of `midtoken/service-worker` on this site, or of the site's own service worker that imports it. */
  readonly scriptUrl: string | URL;
  /** Pages below this path can send requests to `v1` below it; by default the folder of the script. */
  readonly scope?: string;
}

export interface ServingTab {
  /** The address for clients: `new OpenAI({ baseURL })`. */
  readonly baseUrl: string;
  /** Settles when this tab answers: at once, unless another tab of the site already does. Never settles if stopped before. */
  readonly leads: Promise<void>;
  /** Stops serving. Another tab that serves takes over. Requests in progress fail. */
  stop(): void;
}

/** Browsers end a worker without work after about 30 seconds, even while it sends a response. */
const awakeMs = 10_000;

/**
 * Registers the service worker and answers its requests with this page's engine. If several tabs serve, one answers;
 * when it ends, the next one takes over, with its own models and mods. Rejects with an Error that says what to do, if
 * service workers or locks are missing, if the script does not load, or if the site has another service worker for
 * this scope.
 *
 * @example
 * const { baseUrl } = await serveFromThisTab(engine, { scriptUrl: "/midtoken-service-worker.js" });
 * const client = new OpenAI({ apiKey: "none", baseURL: baseUrl, dangerouslyAllowBrowser: true });
 */
export async function serveFromThisTab(engine: MidtokenEngine, options: ServeOptions): Promise<ServingTab> {
  checkOptionKeys("serveFromThisTab", options, { scriptUrl: true, scope: true });
  const { registration, clientId } = await registerServiceWorker(options);
  const { scope } = registration;
  const baseUrl = new URL(apiPath, scope);
  const handler = createFetchHandler(engine, { basePath: baseUrl.pathname });
  const stopped = new AbortController();
  const ended = new Promise<void>((resolve) => {
    stopped.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const lock = newTabLockName(scope, clientId);
  const listen = responding(handler, { lock, signal: stopped.signal, registration });
  navigator.serviceWorker.addEventListener("message", listen);
  navigator.serviceWorker.startMessages();
  await new Promise<void>((held, failed) => {
    const hold = (): Promise<void> => {
      held();
      return ended;
    };
    navigator.locks.request(lock, hold).catch(failed);
  });
  const leads = new Promise<void>((resolve) => {
    const lead = (): Promise<void> => {
      resolve();
      return ended;
    };
    // Rejects only if `stop` is called before this tab's turn.
    navigator.locks.request(leaderLockName(scope), { signal: stopped.signal }, lead).catch(() => undefined);
  });
  return {
    baseUrl: baseUrl.href,
    leads,
    stop() {
      navigator.serviceWorker.removeEventListener("message", listen);
      stopped.abort();
    },
  };
}

interface Responding {
  readonly lock: string;
  readonly signal: AbortSignal;
  readonly registration: ServiceWorkerRegistration;
}

/** Answers the worker's requests, and keeps the worker awake meanwhile. */
function responding(handler: FetchHandler, { lock, signal, registration }: Responding) {
  let running = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stayAwake: ServiceWorkerCommand = { midtoken: "stay-awake" };
  return ({ data, ports }: MessageEvent<unknown>): void => {
    const [port] = ports;
    if (!port || !isTabRequest(data) || data.lock !== lock) return;
    running += 1;
    timer ??= setInterval(() => registration.active?.postMessage(stayAwake), awakeMs);
    void respondOverPort(handler, data, port, signal).finally(() => {
      running -= 1;
      if (running > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };
}

function isTabRequest(data: unknown): data is TabRequest {
  return typeof data === "object" && data !== null && "midtoken" in data && data.midtoken === "request";
}
