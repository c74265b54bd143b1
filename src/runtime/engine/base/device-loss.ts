/** Watches work on a device that may be lost or run out of memory, and words its errors. */
import { messageOf } from "../../../core/base/message-of.ts";

/**
 * A lost device breaks what is under way first, and is told as lost a moment later. Example: `mapAsync` fails because "Buffer
 * was unmapped", and then `GPUDevice.lost` resolves. Milliseconds to wait for that.
 */
const noticeMs = 200;

/** The result of `work`, which may never settle on a lost device. @throws the loss, where it is told soon enough: it is the cause, and says what to do; else what `work` throws. */
export async function orLost<T>(work: Promise<T>, lost: Promise<Error>): Promise<T> {
  const loss = lost.then((error) => {
    throw error;
  });
  try {
    return await Promise.race([work, loss]);
  } catch (error) {
    const noLoss = new Promise<never>((_, reject) => setTimeout(reject, noticeMs, error));
    return await Promise.race([loss, noLoss]);
  }
}

/** As a sentence. Where an array could not be made, the browser says neither of what nor what to do. */
export function lossInLabels(error: unknown): string {
  const words = messageOf(error).replace(/(?<![.!?])$/, ".");
  if (!(error instanceof RangeError)) return words;
  return `There was not enough memory for the result of a forward pass: ${words} Close other tabs, or choose a smaller model.`;
}

/** The error that a device reported on its own. */
export function faultInLabels(error: GPUError): string {
  return error instanceof GPUOutOfMemoryError
    ? `The graphics memory is full (${error.message}). Close other tabs, or choose a smaller model or a shorter text.`
    : `WebGPU reported an error: ${error.message}`;
}
