import { describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../lib/service/translation-engine.ts';
import { callContext, checked, problemOf } from '../support.ts';
import { hosted } from './fixture.ts';

const STRICT = { ...callContext(), isStrict: true };

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
    const service = hosted({ supportsPair: onlyInto('de') });
    for (const work of [() => service.create(project, STRICT), () => service.validate(project, STRICT)]) {
      const { name, occurrence } = await problemOf(work);
      const pointer = '/targetLanguages/2/serviceAutomaticTranslation';
      expect([name, occurrence.errors]).toMatchObject(['invalid-project', [{ pointer, code: 'unsupported-pair' }]]);
      expect(occurrence.errors?.[0]?.detail).toContain(' to ca.');
    }
    expect((await service.list({ limit: 10 }, STRICT)).projects).toEqual([]);
  });

  it('creates a project whose pairs the engine translates', async () => {
    const service = hosted({ supportsPair: async (_, to) => to !== 'fr' });
    await service.validate(project, STRICT);
    await service.create(project, STRICT);
  });

  it('is refused without an engine', async () => {
    const { occurrence } = await problemOf(() => hosted().create(project, STRICT));
    expect(occurrence.errors).toHaveLength(2);
  });

  it('can be sent again if the engine does not answer', async () => {
    const supportsPair = () => Promise.reject(new EngineFailure('unreachable'));
    expect((await problemOf(() => hosted({ supportsPair }).create(project, STRICT))).name).toBe('unavailable');
  });

  it('returns the same project to a retry, although the engine has changed', async () => {
    const pairs = { supported: true };
    const service = hosted({ supportsPair: async () => pairs.supported });
    const call = { ...STRICT, idempotency: { key: 'key', replayed: () => {} } };
    const { id } = await service.create(project, call);
    pairs.supported = false;
    expect((await service.create(project, call)).id).toBe(id);
  });
});

it('a creation without handling=strict does not ask the engine', async () => {
  const supportsPair = () => Promise.reject(new Error('not expected'));
  await hosted({ supportsPair }).create(project, callContext());
});
