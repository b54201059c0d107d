import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { type JsonObject, member, smallProject } from '../../support/projects.ts';
import { senderOf } from '../../support/senders.ts';
import { type Attack, AUTOMATIC, type Flood, targets } from './attack.ts';
import { changeLanguages, inManyLanguages, manyTasks } from './shapes.ts';

/** The source of the attacker, whose mapping needs more time than it may take. */
export const SOURCE = {
  name: 'attacker',
  mapping: '$sum(body.all.($a := $; $sum($$.body.all.($ * $a)))) < 0 ? {}',
  sample: '{"all":[1]}',
} as const;
export const SENDER = senderOf('github');

const MANAGED = {
  managedProject: true,
  team: Array.from({ length: LIMITS.membersPerTeam }, (_, n) => member({ name: 'P' }, n)),
};
const SMALL_TEAM = { ...MANAGED, team: [member()] };
/** How many projects each receiver that never answers belongs to. */
const SILENT = 60;

/** Returns as many managed tasks as are accepted. Large teams leave less room for tasks. */
function* managed(): Iterable<JsonObject> {
  yield* inManyLanguages(MANAGED);
  yield* inManyLanguages(SMALL_TEAM);
}

function silentlyReceived(n: number, silent: readonly string[]): JsonObject[] {
  return [smallProject({ eventUrl: silent[n % silent.length] ?? null })];
}

function smallJob(): JsonObject[] {
  return [smallProject({ targetLanguages: targets(10, AUTOMATIC) })];
}

const sendMessages: Flood = async () => {
  const all = Array.from({ length: 60_000 }, (_, n) => n % 10);
  return () => {
    const body = JSON.stringify({ id: randomUUID(), all });
    const headers = SENDER.sign({ body, atMs: 0, id: '' });
    return { method: 'POST', path: `/webhooks/${SOURCE.name}`, headers, body };
  };
};

/** Attacks by work that waits for the same workers as that of others. */
export const QUEUES: readonly Attack[] = [
  { title: 'teams for tasks in 150 languages', kind: 'queues', projects: [managed] },
  { title: 'a team for 50,000 tasks', kind: 'queues', isSampled: true, projects: [() => manyTasks(SMALL_TEAM)] },
  {
    title: '300 creations, 60 receivers that never answer',
    kind: 'queues',
    isSampled: true,
    projects: [silentlyReceived],
    copies: 300,
    silent: SILENT,
  },
  { title: '2,000 small jobs', kind: 'queues', isSampled: true, projects: [smallJob], copies: 2_000 },
  { title: 'messages with a slow mapping', kind: 'queues', projects: [smallJob], flood: sendMessages },
];

/** The answers of the engine by target language. It never answers for the last one. */
export const ENGINE_ANSWERS: Readonly<Record<string, number | 'never'>> = { 'de-DE': 400, 'fr-CA': 500, ja: 'never' };

/** Returns a project in a language of the engine. Each of its texts differs, because Segue sends equal ones once. */
function forEngine(targetLanguageCode: string): () => JsonObject[] {
  const contents = Array.from({ length: 1_000 }, (_, n) => ({ content: `Text ${n}, which the engine is paid for` }));
  return () => [smallProject({ segments: contents, targetLanguages: [{ targetLanguageCode, ...AUTOMATIC }] })];
}

/** Attacks by an engine that fails. */
export const ENGINES: readonly Attack[] = Object.entries(ENGINE_ANSWERS).map(([code, answer]) => ({
  title: `languages started again, engine answers ${answer}`,
  kind: 'engines',
  isSampled: true,
  projects: [forEngine(code)],
  flood: changeLanguages,
}));
