import { expect, it } from 'vitest';
import { idsNeeded, projectFrom } from '../../../lib/service/project-from.ts';
import { segments } from '../../support/projects.ts';
import { checked, NOW_MS } from '../support.ts';

it('gives project, target languages and segments ids in this order, and leaves an id for each translation', () => {
  const request = checked({
    targetLanguages: ['de-DE', 'fr-FR', 'ja'].map((targetLanguageCode) => ({ targetLanguageCode })),
    segments: segments(4),
  });
  const project = projectFrom(request, 100, NOW_MS);
  const ids = [project, ...project.targetLanguages, ...project.segments].map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 1 + 3 + 4 }, (_, n) => 100 + n));
  expect(idsNeeded(request)).toBe(1 + 3 + 4 + 3 * 4);
});
