/** A map or a weak map. */
interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value that the cache has for the key. If it has none, `make` makes the value, and the cache keeps it. */
export function getOrCreate<Key, Value extends {}>(
  cache: Cache<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  let found = cache.get(key);
  if (found === undefined) {
    found = make(key);
    cache.set(key, found);
  }
  return found;
}
