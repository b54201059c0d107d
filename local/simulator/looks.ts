import { fieldsOf } from '../../lib/contract/pointer.ts';
import type { Reply } from './exchange.ts';
import type { FaultName } from './faults.ts';
import { valueIn } from './projects.ts';
import type { Random } from './random.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Changes each project of a success; leaves alone what has none. */
export function withProjects(reply: Reply, change: (fields: Fields) => Fields): Reply {
  const value = reply.status < 300 ? valueIn(reply) : undefined;
  if (value === undefined) return reply;
  const changed = (project: unknown) => change(fieldsOf(project) ?? {});
  const { 'content-encoding': _, 'content-length': __, ...headers } = reply.headers;
  const body = Buffer.from(JSON.stringify(Array.isArray(value) ? value.map(changed) : changed(value)));
  return { ...reply, headers, body };
}

const UNKNOWN = { workflowVersion: 3, links: { self: null }, 'x y': ['ü', {}] };

/** Other looks of an answer that says the same. */
const LOOKS: Readonly<Partial<Record<FaultName, (reply: Reply, random: Random) => Reply>>> = {
  'unknown-fields': (reply) => withProjects(reply, (fields) => ({ ...fields, ...UNKNOWN })),
  'odd-dates': (reply, random) =>
    withProjects(reply, (fields) => ({
      ...fields,
      creationDateUtc: withFraction(`${fields['creationDateUtc']}`, random.below(8)),
    })),
  'ok-for-created': (reply) => (reply.status === 201 ? { ...reply, status: 200 } : reply),
};

/** How an answer looks where a fault is about that; the answer itself where it is not. */
export function looking(name: FaultName | undefined, reply: Reply, random: Random): Reply {
  return (name && LOOKS[name]?.(reply, random)) ?? reply;
}

/** A date with so many fraction digits; the service writes three, and further ones are zero. */
function withFraction(date: string, digits: number): string {
  const [, seconds = date, milliseconds = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(date) ?? [];
  return `${seconds}${digits === 0 ? '' : `.${milliseconds.padEnd(7, '0').slice(0, digits)}`}Z`;
}

/** Says of every project in an answer that is archived, that it is. */
export function markedArchived(reply: Reply, archived: ReadonlySet<number>): Reply {
  if (archived.size === 0) return reply;
  const isArchived = ({ id }: Fields) => typeof id === 'number' && archived.has(id);
  return withProjects(reply, (fields) => (isArchived(fields) ? { ...fields, archived: true } : fields));
}
