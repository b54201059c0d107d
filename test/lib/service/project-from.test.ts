import { expect, it } from 'vitest';
import { idsNeeded, projectFrom } from '../../../lib/service/project-from.ts';
import { segments } from '../../support/projects.ts';
import { checked, NOW_MS } from '../support.ts';

it('gives project, target languages and segments the ids that were taken for them, each once', () => {
  const request = checked({
    targetLanguages: ['de-DE', 'fr-FR', 'ja'].map((targetLanguageCode) => ({ targetLanguageCode })),
    segments: segments(4),
  });
  const project = projectFrom(request, 100, NOW_MS);
  const ids = [project, ...project.targetLanguages, ...project.segments].map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: idsNeeded(request) }, (_, n) => 100 + n));
});
