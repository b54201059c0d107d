/** How many entries a map keeps. */
const MAX_REMEMBERED = 10_000;

/** Sets an entry of a map as its newest. If the map has too many entries, its oldest entry is removed. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
