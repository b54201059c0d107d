import type { Random } from '../../../local/simulator/random.ts';
import { creation } from '../../cli/world.ts';

/** A line of a manifest, and what has to become of it. */
export interface Line {
  readonly text: string;
  /** The name of the project that it makes. */
  readonly makes?: string;
  /** Its faults as `pointer code`, where it has any. */
  readonly faults?: readonly string[];
}

/** Of so many lines one is faulty. */
const FAULTY_SHARE = 0.03;
/** Of so many one has the content of others: it is a project of its own all the same. */
const TWIN_SHARE = 0.1;
const TWIN = 'a twin';

const FAULTY: readonly Line[] = [
  { text: '{"create":', faults: [' syntax'] },
  { text: '{"delete":{"scope":"all","id":5}}', faults: ['/delete/scope not-allowed', '/delete/id unknown-field'] },
  { text: JSON.stringify(creation({ name: 5, bogus: 1 })), faults: ['/name wrong-type', '/bogus unknown-field'] },
  {
    text: JSON.stringify(creation({ segments: [{ content: '' }, { content: 5 }] })),
    faults: ['/segments/0/content empty', '/segments/1/content wrong-type'],
  },
];

/** Lines as somebody may send them. */
export function drawLines(count: number, random: Random): Line[] {
  return Array.from({ length: count }, (_, index) => {
    if (random.chance(FAULTY_SHARE)) return random.pick(FAULTY);
    const name = random.chance(TWIN_SHARE) ? TWIN : `line ${index + 1}`;
    return { text: JSON.stringify(creation({ name })), makes: name };
  });
}
