/** A queue of values for one reader, who waits for the next value. */

export interface EventQueue<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  /** Ends the queue. The reader gets all values pushed before, then the end or the error. Later values are dropped. */
  end(error?: Error): void;
}

/** `onLeave` is called when the reader leaves before the end. */
export function createEventQueue<Value>(onLeave: () => void): EventQueue<Value> {
  const values: Value[] = [];
  let ending: { readonly error: Error | undefined } | null = null;
  let wake: () => void = () => undefined;
  async function* read(): AsyncGenerator<Value, void, undefined> {
    try {
      for (;;) {
        for (let value = values.shift(); value !== undefined; value = values.shift()) yield value;
        if (ending?.error) throw ending.error;
        if (ending) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      if (!ending) onLeave();
    }
  }
  return {
    push(value) {
      if (ending) return;
      values.push(value);
      wake();
    },
    end(error) {
      ending ??= { error };
      wake();
    },
    [Symbol.asyncIterator]: read,
  };
}
