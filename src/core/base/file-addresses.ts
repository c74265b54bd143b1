/**
 * Addresses at which an app serves Midtoken's files itself, because its bundler does not copy them or its security policy
 * demands it. Types only.
 */

/** Addresses may be relative to the page. */
export interface FileAddresses {
  /**
   * Address of a copy of the package's folder `dist` (`node_modules/midtoken/dist`), which has the workers and the runtimes by
   * name. Needed if a content security policy forbids workers from `blob:` addresses and the bundler copies no files.
   */
  readonly assetsUrl?: string;
  /** Address of `engine-worker.js` only. The runtimes are looked for beside this file, unless `assetsUrl` is given too. */
  readonly workerUrl?: string;
  /**
   * Address of `sandbox.html`, for pages whose content security policy allows only scripts from their own server. Serve the
   * file without that policy: the file has a stricter one inside, and does nothing outside a sandboxed frame.
   */
  readonly sandboxUrl?: string;
}
