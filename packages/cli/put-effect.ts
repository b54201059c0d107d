import type { PutEffect } from '../../lib/service/command.ts';
import type { OutdatedPut } from '../../lib/service/put.ts';

const OUTCOMES: Readonly<Record<PutEffect['outcome'], string>> = {
  create: 'creates the project',
  update: 'updates the project',
  unchanged: 'changes nothing',
};

/** Formats what a put does or would do, such as `updates the project: segments 3 kept, 1 changed, …`. */
export function formatEffect(effect: PutEffect | OutdatedPut): string {
  if (effect.outcome === 'outdated') return `changes nothing: revision ${effect.revision} of the project is known`;
  const { outcome, segments, targetLanguages } = effect;
  return `${OUTCOMES[outcome]}: segments ${formatCounts(segments)}; target languages ${formatCounts(targetLanguages)}`;
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
