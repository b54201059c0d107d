import { vi } from 'vitest';
import { nextTurn } from '../../lib/service/turn.ts';

/** Returns the lines that work writes to standard error, without writing them. An error of the work is ignored. */
export async function loggedLines(work: () => unknown): Promise<string[]> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await Promise.resolve(work()).catch(() => {});
    // The lines of one turn are written together.
    await nextTurn();
    return write.mock.calls.flatMap(([text]) => String(text).trimEnd().split('\n'));
  } finally {
    write.mockRestore();
  }
}
