import type { DestinationReport, SourceReport } from '../client/administration.ts';
import { knownIn } from './values.ts';

/** What the messages of a source may do. */
const SCOPES = {
  create: 'create projects',
  update: 'update projects',
  delete: 'delete projects and tasks',
};
const ALL_SCOPES = ['create', 'update', 'delete'];

/** Says what a source does with its messages. */
export function receivingOf({ scopes = ALL_SCOPES, fetch }: Pick<SourceReport, 'scopes' | 'fetch'>): string {
  const does = `Messages may ${AND.format(scopes.map((scope) => knownIn(SCOPES, scope) ?? scope))}.`;
  return fetch ? `${does} Segue fetches their entries from ${AND.format(fetch.hosts)}.` : does;
}

/** Joins parts of a sentence. */
export const AND = new Intl.ListFormat('en');

/** Says what a destination does. */
export function sendingOf({ hosts, on }: Pick<DestinationReport, 'hosts' | 'on'>): string {
  return `Sends to ${AND.format(hosts)} when ${on.map(happeningOf).join(' or ')}.`;
}

/** Says when an event happens: `project.created` when a project is created. */
function happeningOf(type: string): string {
  const [thing, change = 'changed'] = type.split('.');
  return knownIn(HAPPENINGS, type) ?? `a ${thing} is ${change}`;
}

const HAPPENINGS = {
  'language.state-changed': 'the state of a language changes',
  'translation.failed': 'a translation fails',
};
