/** Formats a number with its noun, such as `1 segment` or `2 entries`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
