import { asObjects } from '../../support/projects.ts';
import { objectIn } from '../asking.ts';
import type { Client, Cut } from './client.ts';
import { creation, deletion, draft, type Live, type Pool } from './pool.ts';
import { REFUSALS } from './refusals.ts';

/** What chance has to say about one request. */
export interface Die {
  readonly action: number;
  readonly pick: number;
  readonly byCustomId: boolean;
  readonly cut: Cut | undefined;
}

type Action = (client: Client, pool: Pool, die: Die) => Promise<void>;

/** How many projects there may be for longer: then one is deleted before another is made. */
const MOST = { small: 150, large: 8 } as const;
type Size = keyof typeof MOST;

/** What is sent, and how often of a hundred times. */
const ACTIONS: readonly (readonly [times: number, Action])[] = [
  [24, (client, pool, die) => create(client, pool, die, 'small')],
  [2, (client, pool, die) => create(client, pool, die, 'large')],
  [22, onProject(read)],
  [6, list],
  [10, onProject(deleteTask)],
  [18, onProject(deleteProject)],
  [8, onProject(replay)],
  [10, onProject(refuse)],
];
const BY_CHANCE = ACTIONS.flatMap(([times, action]) => Array<Action>(times).fill(action));

/** Does what the die says. */
export async function act(client: Client, pool: Pool, die: Die): Promise<void> {
  await BY_CHANCE[die.action % BY_CHANCE.length]?.(client, pool, die);
}

/** Makes as many projects as there may be. */
export async function fill(client: Client, pool: Pool): Promise<void> {
  for (const size of ['small', 'large'] as const) while (!isFull(pool, size)) await make(client, pool, size);
}

function isFull(pool: Pool, size: Size): boolean {
  return pool.count(size === 'large') >= MOST[size];
}

async function create(client: Client, pool: Pool, die: Die, size: Size): Promise<void> {
  if (isFull(pool, size)) await onProject(deleteProject)(client, pool, die);
  else await make(client, pool, size, die.cut);
}

async function make(client: Client, pool: Pool, size: Size, cut?: Cut): Promise<void> {
  const made = draft(size === 'large');
  const answer = await client.send(creation(made), 201, cut);
  if (answer.status === 201)
    pool.put({ ...made, id: Number(answer.headers.location?.split('/').at(-1)), hasTask: true });
}

async function list(client: Client, _pool: Pool, { cut }: Die): Promise<void> {
  asObjects(JSON.parse((await client.send({ method: 'GET', path: '/segments/projects?limit=100' }, 200, cut)).text));
}

/** An action on a project that nobody else is at work on; where there is none, one is made. */
function onProject(action: (client: Client, project: Live, die: Die, pool: Pool) => Promise<'there' | 'gone'>): Action {
  return async (client, pool, die) => {
    const project = pool.take(die.pick);
    if (!project) return make(client, pool, 'small', die.cut);
    const state = await action(client, project, die, pool);
    if (state === 'there') pool.put(project);
    else pool.bury(project);
  };
}

async function read(client: Client, { id, customId, name }: Live, { byCustomId, cut }: Die) {
  const path = `/segments/projects/${byCustomId ? `custom/${customId}` : id}`;
  const answer = await client.send({ method: 'GET', path }, 200, cut);
  if (!answer.text.includes(name)) client.wrong.push(`GET ${path} is another project`);
  return 'there' as const;
}

async function deleteTask(client: Client, project: Live, { byCustomId, cut }: Die) {
  const request = deletion(project, 'task', byCustomId);
  await client.send(request, project.hasTask ? 204 : 'task-not-found', cut);
  project.hasTask = false;
  return 'there' as const;
}

async function deleteProject(client: Client, project: Live, { byCustomId, cut }: Die) {
  await client.send(deletion(project, 'project', byCustomId), 204, cut);
  client.deleted += 1;
  return 'gone' as const;
}

async function replay(client: Client, project: Live, { cut }: Die) {
  const answer = await client.send(creation(project), 201, cut);
  if (!answer.headers['idempotent-replayed'] || objectIn(answer)['id'] !== project.id) {
    client.wrong.push('A replay is another project');
  }
  return 'there' as const;
}

async function refuse(client: Client, project: Live, { pick }: Die, pool: Pool) {
  const gone = pool.gone(pick);
  const [type, make] = REFUSALS[pick % REFUSALS.length] ?? [];
  if (type && make && gone) await client.send(make(project, gone), type);
  return 'there' as const;
}
