/** What is under way on a device that may be lost. */

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
