import { expect, it } from 'vitest';
import { projectFrom, SEGMENT_ID_STEP } from '../../../lib/service/project-from.ts';
import { segments } from '../../support/projects.ts';
import { checked, NOW_MS } from '../support.ts';

it('gives project, target languages and segments ids in this order, and leaves ids for the translations of each segment', () => {
  const request = checked({
    targetLanguages: ['de-DE', 'fr-FR', 'ja'].map((targetLanguageCode) => ({ targetLanguageCode })),
    segments: segments(4),
  });
  const project = projectFrom(request, 100, NOW_MS);
  const ids = [project, ...project.targetLanguages, ...project.segments].map(({ id }) => id);
  const ofSegments = Array.from({ length: 4 }, (_, n) => 104 + n * SEGMENT_ID_STEP);
  expect(ids).toEqual([100, 101, 102, 103, ...ofSegments]);
});
