/** Measures the memory of this process while work runs: the memory of its threads counts too. */

export const megabyte = 2 ** 20;

/** `peak`: the largest number of resident bytes above those at the start. */
export async function measurePeakMemory<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly peak: number }> {
  const start = process.memoryUsage.rss();
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss() - start);
  };
  const timer = setInterval(look, 2);
  try {
    const result = await work();
    look();
    return { result, peak };
  } finally {
    clearInterval(timer);
  }
}
