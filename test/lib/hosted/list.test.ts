import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import { type JsonObject, member, target } from '../../support/projects.ts';
import { openSqlite } from '../storage/folder.ts';
import { callOf, checked, heldNow } from '../support.ts';
import { hosted, projectIn } from './fixture.ts';

const call = callOf();

const languages = (fields: () => JsonObject) =>
  ['de', 'fr', 'it', 'es', 'pl', 'pt', 'nl', 'sv', 'da', 'fi'].map((targetLanguageCode) =>
    target({ targetLanguageId: null, targetLanguageCode, ...fields() }),
  );

/** Every project, page by page; `between` is done after each. */
async function pages(
  service: ProjectService,
  limit: number,
  between: (page: number) => Promise<unknown> = async () => {},
) {
  const heads: ServiceProject[] = [];
  let after: number | undefined;
  for (let page = 0; ; page++) {
    const { projects, next } = await service.list({ limit, after }, call);
    expect(projects.length).toBeLessThanOrEqual(limit);
    heads.push(...projects);
    if (next === undefined) return heads;
    after = next;
    await between(page);
  }
}

describe('listing', () => {
  it('has projects as they were created, without their segments', async () => {
    const service = hosted();
    const { segments: _, ...head } = await projectIn(
      await service.create(checked({ customId: 'x', taskId: 't' }), call),
    );
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [head] });
  });

  it('has every project once, newest first, whatever the pages’ size', async () => {
    const service = hosted();
    const ids: number[] = [];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), async (limit) => {
        ids.unshift((await service.create(checked(), call)).id);
        expect((await pages(service, limit)).map(({ id }) => id)).toEqual(ids);
      }),
      { numRuns: 25 },
    );
  });

  it('loses and repeats nothing where projects come and go meanwhile', async () => {
    const service = hosted();
    const ids: number[] = [];
    for (let n = 0; n < 12; n++) ids.unshift((await service.create(checked(), call)).id);
    const gone = [ids[2], ids[3], ids[8], ids[11]].map((id) => ({ id: id ?? 0 }));
    const heads = await pages(service, 3, async (page) => {
      await service.create(checked(), call);
      const ref = gone[page];
      if (ref) await service.delete(ref, { kind: 'project' }, call);
    });
    const listed = heads.map(({ id }) => id);
    const stayed = ids.filter((id) => !gone.some((ref) => ref.id === id));
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(stayed));
    expect(listed).toEqual([...listed].sort((a, b) => b - a));
  });

  it('reads few bytes of a project with large teams', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    const team = Array.from({ length: 40 }, (_, n) => member({ name: `Example Person ${n}` }, n + 1));
    const { segments: _, ...head } = await projectIn(
      await service.create(checked({ targetLanguages: languages(() => ({ team })) }), call),
    );
    expect(JSON.stringify(head).length).toBeGreaterThan(65_536);
    const { items } = await storage.list('company/acme', { prefix: 'project/', limit: 1, maxBytes: 1 });
    expect(JSON.stringify(items).length).toBeLessThan(8_192);
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [head] });
  });

  it('has a head that is too large for the project’s item, until its project is deleted', async () => {
    const service = hosted();
    const targetLanguages = languages(() => ({ additionalInfo: randomBytes(7_500).toString('base64') }));
    const { segments: _, ...head } = await projectIn(await service.create(checked({ targetLanguages }), call));
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [head] });
    await service.delete({ id: head.id }, { kind: 'project' }, call);
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [] });
  });

  it('has no next page after the last, even a full one', async () => {
    const service = hosted();
    for (let n = 0; n < 4; n++) await service.create(checked(), call);
    expect((await service.list({ limit: 4 }, call)).next).toBeUndefined();
    expect((await service.list({ limit: 3 }, call)).next).toBeDefined();
    expect(await service.list({ limit: 4, after: 1 }, call)).toEqual({ projects: [] });
  });
});
