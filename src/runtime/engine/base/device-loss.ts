/** Watches work on a device that may be lost or run out of memory, and words its errors. */
import { messageOf } from "../../../core/base/message-of.ts";

/**
 * Milliseconds to wait for the report of a lost device. Work on a lost device fails first, and the report comes a moment later:
 * for example, `mapAsync` fails because "Buffer was unmapped", and then `GPUDevice.lost` resolves.
 */
const noticeMs = 200;

/**
 * The result of `work`, which may never settle on a lost device. @throws the loss, if it is reported in time, because it is the
 * cause and says what to do; otherwise the error of `work`
 */
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
