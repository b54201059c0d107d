import { describe, expect, it } from 'vitest';
import { EngineFailure, type TranslationEngine } from '../../../lib/service/translation-engine.ts';
import { hosted } from '../../support/world.ts';
import { callContext, checked, problemOf } from '../support.ts';

type SupportsPair = TranslationEngine['supports'];
const strict = (supportsPair: SupportsPair) => ({ ...callContext(), supportsPair });

/** A project that asks for automatic translation into German and Catalan, but not into French. */
const project = checked({
  customId: 'strict',
  targetLanguages: [
    { targetLanguageCode: 'de', serviceAutomaticTranslation: true },
    { targetLanguageCode: 'fr' },
    { targetLanguageCode: 'ca', serviceAutomaticTranslation: true },
  ],
});

const onlyInto = (code: string) => async (_: string, to: string) => to === code;

describe('a creation with handling=strict', () => {
  it('is refused with every language that the engine does not translate into', async () => {
    const [service, call] = [hosted(), strict(onlyInto('de'))];
    for (const work of [() => service.create(project, call), () => service.validate(project, call)]) {
      const { name, occurrence } = await problemOf(work);
      const pointer = '/targetLanguages/2/serviceAutomaticTranslation';
      expect([name, occurrence.errors]).toMatchObject(['invalid-project', [{ pointer, code: 'unsupported-pair' }]]);
      expect(occurrence.errors?.[0]?.detail).toContain(' to ca.');
    }
    expect((await service.list({ limit: 10 }, call)).projects).toEqual([]);
  });

  it('creates a project whose pairs the engine translates', async () => {
    const [service, call] = [hosted(), strict(async (_, to) => to !== 'fr')];
    await service.validate(project, call);
    await service.create(project, call);
  });

  it('can be sent again if the engine does not answer', async () => {
    const call = strict(() => Promise.reject(new EngineFailure('unreachable')));
    expect((await problemOf(() => hosted().create(project, call))).name).toBe('unavailable');
  });

  it('returns the same project to a retry, although the engine has changed', async () => {
    const pairs = { supported: true };
    const service = hosted();
    const call = { ...strict(async () => pairs.supported), idempotency: { key: 'key', replayed: () => {} } };
    const { id } = await service.create(project, call);
    pairs.supported = false;
    expect((await service.create(project, call)).id).toBe(id);
  });
});
