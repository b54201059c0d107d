import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { segment, smallProject } from '../../support/projects.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { LIMIT_ROWS } from '../limits.ts';

/**
 * Tests "Limits" of "Fields" in `decisions.md`: each with one less than the limit, with the limit, and with one more.
 */
export function limits(api: Api): void {
  describe('Limits', () => {
    test('every limit of the code is tested here or in another file, with the number of the documents', () => {
      const numbers = Object.entries(LIMIT_ROWS).map(([name, { most }]) => [name, most]);
      expect(Object.fromEntries(numbers)).toEqual(LIMITS);
      const elsewhere = Object.values(LIMIT_ROWS).filter(({ ways }) => ways.length === 0);
      for (const { elsewhere: file = 'nowhere' } of elsewhere) expect(existsSync(file), file).toBe(true);
    });
  });

  for (const [name, { most, ways }] of Object.entries(LIMIT_ROWS)) {
    if (ways.length === 0) continue;
    describe(`Limits: ${name}, ${most}`, () => {
      for (const { title, send, within, over } of ways) {
        test(title, async () => {
          for (const count of [most - 1, most]) within(await send(api, count), count);
          over(await send(api, most + 1), most);
        });
      }
    });
  }

  describe('Limits: what is as long as it may be', () => {
    afterEach(() => api.cleanUp());

    test('a custom id of 255 four-byte characters leads to its project', async () => {
      const customId = '😀'.repeat(255);
      const { id } = await api.create(smallProject({ customId }));
      expect((await api.read(byCustomId(customId))).id).toBe(id);
    });

    test('a task id of 1,000 characters leads to its task', async () => {
      const taskId = 'é'.repeat(1_000);
      const { id } = await api.create(smallProject({ taskId }));
      expect((await api.delete(`${byId(id)}?taskId=${encodeURIComponent(taskId)}`)).status).toBe(204);
    });

    test('a content of 1 MiB is returned byte for byte', async () => {
      const content = '人'.repeat(1_048_576 / 3);
      const { id } = await api.create(smallProject({ segments: [segment({ content })] }));
      expect((await api.read(byId(id))).segments[0]?.content === content).toBe(true);
    });
  });
}
