import type { Attack } from './attack.ts';
import { ENGINES, QUEUES } from './queues.ts';
import { SHAPES } from './shapes.ts';
import { TEXTS } from './texts.ts';

/** The attacks, each with requests that are accepted. */
export const ATTACKS: readonly Attack[] = [
  { title: 'nothing', kind: 'texts', projects: [] },
  ...TEXTS,
  ...SHAPES,
  ...QUEUES,
  ...ENGINES,
];
