/** Errors for a sandbox frame that did not start, with advice. */

import { bootstrapHash } from "virtual:sandbox-bootstrap";
import { redactUrlSecrets } from "../../core/base/without-secrets.ts";

/** The frame's own report. If the worker was not allowed to start, it has neither message nor line. */
export interface FrameFailure {
  readonly message?: string;
  readonly line?: number;
}

/** @param failure null if the frame reported nothing for `seconds` */
export function describeStartFailure(
  failure: FrameFailure | null,
  sandboxUrl: string | undefined,
  seconds: number,
): string {
  if (failure === null) {
    return `The mod's sandbox did not start within ${seconds} s. ${whatToCheck(sandboxUrl)}`;
  }
  const { message, line } = failure;
  if (!Number.isInteger(line)) {
    return `The mod's sandbox could not start: the browser refused its worker. ${whatToCheck(sandboxUrl)}`;
  }
  return `The mod's sandbox could not start: ${message} (line ${line}).`;
}

function whatToCheck(sandboxUrl: string | undefined): string {
  if (sandboxUrl === undefined) {
    return `Check the page's content security policy: it must allow the script ${bootstrapHash}, "blob:" scripts and "blob:" workers. If it cannot, serve the package's sandbox.html and give its address in the option sandboxUrl.`;
  }
  return `Check that ${redactUrlSecrets(sandboxUrl)} is the package's sandbox.html. Check that frame-src in the page's content security policy allows this address. Check that your server sends this file without the page's policy, because the file has its own policy. In a browser extension, list the file in the manifest under sandbox, with a content_security_policy.sandbox that allows 'unsafe-inline' and "blob:" scripts and "blob:" workers.`;
}
