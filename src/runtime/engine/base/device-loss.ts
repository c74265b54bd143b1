/** Waits for work on a device that may be lost or run out of memory, and turns its errors into sentences for users. */
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
export async function rejectWhenLost<T>(work: Promise<T>, lost: Promise<Error>): Promise<T> {
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

/**
 * The error as a sentence. If an array could not be allocated, the browser's message says neither what the array was for nor
 * what to do.
 */
export function passErrorSentence(error: unknown): string {
  const words = messageOf(error).replace(/(?<![.!?])$/, ".");
  if (!(error instanceof RangeError)) return words;
  return `There was not enough memory for the result of a forward pass: ${words} Close other tabs, or choose a smaller model.`;
}

/** The sentence for an error that the device reported by itself, outside of any call. */
export function deviceErrorSentence(error: GPUError): string {
  return error instanceof GPUOutOfMemoryError
    ? `The graphics memory is full (${error.message}). Close other tabs, or choose a smaller model or a shorter text.`
    : `WebGPU reported an error: ${error.message}`;
}
