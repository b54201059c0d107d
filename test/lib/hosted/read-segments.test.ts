import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { ProjectService, SegmentsPage, SegmentsQuery } from '../../../lib/service/port.ts';
import { type JsonObject, segments } from '../../support/projects.ts';
import { hosted } from '../../support/world.ts';
import { callContext, checked } from '../support.ts';

const call = callContext();

async function created(service: ProjectService, fields: JsonObject): Promise<{ id: number }> {
  const { id } = await service.create(checked(fields), call);
  return { id };
}

function entriesIn({ json }: SegmentsPage): unknown[] {
  return JSON.parse(Buffer.from(decodeText(json)).toString());
}

describe('a page of segments', () => {
  const read = (service: ProjectService, ref: { id: number }, query: Partial<SegmentsQuery>) =>
    service.segments(ref, { maxBytes: 1_000_000, isGzip: true, ...query }, call);

  it('ends before it has more bytes than it may, but has one segment in any case', async () => {
    const service = hosted();
    const content = 'x'.repeat(1_000);
    const project = await created(service, { segments: segments(10, { content }) });
    const whole = await read(service, project, {});
    expect(whole).toMatchObject({ count: 10, json: { length: decodeText(whole.json).length } });
    expect(whole.next).toBeUndefined();

    const seen: unknown[] = [];
    for (let page = await read(service, project, { maxBytes: 3_500, limit: 100 }); ; ) {
      seen.push(...entriesIn(page));
      expect(page.json.length).toBeLessThanOrEqual(3_500);
      expect(page.count).toBe(entriesIn(page).length);
      if (!page.next) break;
      page = await read(service, project, { maxBytes: 3_500, limit: 100, after: page.next });
    }
    expect(seen).toEqual(entriesIn(whole));
    expect(await read(service, project, { maxBytes: 1 })).toMatchObject({ count: 1, next: { position: 1 } });
  });

  it('may have a megabyte and more', async () => {
    const service = hosted();
    const project = await created(service, { segments: segments(20_000) });
    const whole = await read(service, project, { maxBytes: LIMITS.wholeListBytes });
    expect(whole.count).toBe(20_000);
    expect(whole.json.encoding).toBe('gzip');
    expect(entriesIn(whole)).toHaveLength(20_000);
    expect(decodeText(whole.json)).toHaveLength(whole.json.length);
  });
});
