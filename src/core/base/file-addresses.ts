/** Where an app serves files of Midtoken itself, because its bundler does not take them along or its policy asks for it. Types only. */

/** Addresses may be relative to the page. */
export interface FileAddresses {
  /**
   * Address of a copy of the package's folder `dist` (`node_modules/midtoken/dist`), which holds the workers and the runtimes
   * by their names. Needed where a content security policy forbids workers from `blob:` addresses and the bundler moves no files.
   */
  readonly assetsUrl?: string;
  /** Address of `engine-worker.js` alone. The runtimes are looked for beside it, unless `assetsUrl` is given too. */
  readonly workerUrl?: string;
  /**
   * Address of `sandbox.html`, for pages whose content security policy allows no script but those of its own server. Serve it
   * without that policy: it has a stricter one inside, and does nothing outside a sandboxed frame.
   */
  readonly sandboxUrl?: string;
}
