/** Registers the service worker that sends requests to this tab, and waits until the worker is active. */

import { messageOf } from "../../core/base/message-of.ts";
import { explainInsecurePage } from "../../core/base/secure-context.ts";
import { redactUrlSecrets } from "../../core/base/without-secrets.ts";
import type { ServiceWorkerCommand } from "./tab-link.ts";

export interface RegisteredServiceWorker {
  readonly registration: ServiceWorkerRegistration;
  /** The id by which the worker knows this page. */
  readonly clientId: string;
}

/** Rejects with an Error that says what to do. */
export async function registerServiceWorker(options: {
  readonly scriptUrl: string | URL;
  readonly scope?: string;
}): Promise<RegisteredServiceWorker> {
  const container = globalThis.navigator?.serviceWorker;
  if (!container || !navigator.locks) {
    const reason = explainInsecurePage("service workers and locks") ?? "This browser has no service workers.";
    throw new Error(`This page cannot serve OpenAI's API. ${reason}`);
  }
  const script = new URL(options.scriptUrl, document.baseURI);
  const scope = new URL(options.scope ?? "./", script);
  const there = await container.getRegistration(scope.href);
  const running = there?.active ?? there?.waiting ?? there?.installing;
  if (there?.scope === scope.href && running && running.scriptURL !== script.href) {
    throw new Error(
      `The site already has a service worker for ${scope.href}: ${redactUrlSecrets(running.scriptURL)}. Midtoken's service worker would replace that worker. To have both, import Midtoken's script in your worker (importScripts), and give your worker's address as scriptUrl.`,
    );
  }
  try {
    const registration = await container.register(script, { scope: scope.href });
    return { registration, clientId: await claimPages(await activeWorker(registration)) };
  } catch (cause) {
    throw new Error(
      `The service worker ${redactUrlSecrets(script.href)} could not be started for ${scope.href}: ${messageOf(cause)} Copy midtoken/service-worker from the package to that address on this site.`,
      { cause },
    );
  }
}

async function activeWorker(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  if (registration.active) return registration.active;
  const worker = registration.installing ?? registration.waiting;
  if (!worker) throw new Error("It has no worker.");
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (worker.state === "activated" || worker.state === "activating") resolve();
      if (worker.state === "redundant") reject(new Error("It ended before it was active."));
    };
    worker.addEventListener("statechange", look);
    look();
  });
  return worker;
}

/** Pages that were open before the worker do not use it unless it claims them. */
async function claimPages(worker: ServiceWorker): Promise<string> {
  const claim: ServiceWorkerCommand = { midtoken: "claim" };
  const { port1, port2 } = new MessageChannel();
  const clientId = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error("It does not answer: does it import midtoken/service-worker?"));
    }, 20_000);
    port1.onmessage = ({ data }: MessageEvent<string>) => {
      clearTimeout(late);
      resolve(data);
    };
    worker.postMessage(claim, [port2]);
  });
  port1.close();
  return clientId;
}
