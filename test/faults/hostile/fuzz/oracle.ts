import assert from 'node:assert/strict';
import { asObject } from '../../../support/projects.ts';
import { answersIn, requireManners, textOf, type WireAnswer } from './answers.ts';
import type { Heard } from './client.ts';
import type { Conversation } from './conversation.ts';
import type { Utterance } from './draft.ts';

/** What the answers say was done. */
export interface Deeds {
  /** Projects that were made, as they were answered, by their ids. */
  readonly created: Map<number, string>;
  /** Operations that answers led to in place of a project. */
  readonly accepted: Set<string>;
  /** Last segments of the paths of granted deletions, decoded, and whether all were of tasks. */
  readonly deleted: Map<string, 'task' | 'project'>;
  answers: number;
}

/**
 * Requires what was heard on a connection to be the answers to what was said on it. A request may go without an answer
 * only where it was not whole, or no HTTP, and something before it was answered; or where nothing but line ends was said.
 */
export function judge({ utterances, isAbandoned }: Conversation, { bytes, error }: Heard, deeds: Deeds): void {
  if (isAbandoned) return;
  assert.notEqual(error, 'no end', 'the connection was left open');
  const hasHead = utterances.some((utterance) => /HEAD/i.test(utterance.bytes.toString('latin1')));
  const answers = answersIn(bytes, hasHead);
  deeds.answers += answers.length;
  for (const answer of answers) requireManners(answer, hasHead);
  const sound = utterances.filter(({ isSound }) => isSound).length;
  if (sound === utterances.length) assert.equal(answers.length, sound, 'an answer for every request');
  // Who still speaks while he is refused may never hear it.
  const least = sound === 0 && saysSomething(utterances) && error === undefined ? 1 : sound;
  assert(answers.length >= least, `${answers.length} answers, ${least} or more expected (${error})`);
  for (const [index, answer] of answers.entries()) {
    const utterance = utterances[Math.min(index, utterances.length - 1)];
    if (utterance && answer.status < 300) note(utterance, answer, deeds);
  }
}

function saysSomething(utterances: readonly Utterance[]): boolean {
  return utterances.some(({ bytes }) => /[^\r\n]/.test(bytes.toString('latin1')));
}

function note({ bytes, isCut }: Utterance, answer: WireAnswer, { created, accepted, deleted }: Deeds): void {
  assert(!isCut, 'a request without its end was carried out');
  if (answer.status === 201) {
    const text = textOf(answer);
    created.set(Number(asObject(JSON.parse(text))['id']), text);
    return;
  }
  if (answer.status === 202) {
    accepted.add(String(asObject(JSON.parse(textOf(answer)))['operationId']));
    return;
  }
  const [, path = '', query = ''] = /^[\r\n]*DELETE +([^ ?]+)(\S*)/.exec(bytes.toString('latin1')) ?? [];
  if (path === '') return;
  const name = decodeURIComponent(path.replace(/\/$/, '').split('/').at(-1) ?? '');
  const isTask = /[?&;][^&;=]+=/.test(query);
  deleted.set(name, isTask && deleted.get(name) !== 'project' ? 'task' : 'project');
}
