import { expect, it } from 'vitest';
import { type ReadBack, type SentDelete, type Verdict, verdictOf } from '../../../lib/upstream/read-back.ts';

const SENT = ['yes', 'absent', 'unclear', 'unsent'] as const satisfies readonly SentDelete[];

/** By what was sent, in the order of `SENT`. */
const OLD: Record<ReadBack['kind'], readonly [Verdict, Verdict, Verdict, Verdict]> = {
  archived: ['over', 'over', 'over', 'over'],
  gone: ['over', 'over', 'over', 'over'],
  'no-project': ['pending', 'not-found', 'send-again', 'not-found'],
  there: ['pending', 'open', 'send-again', 'not-deleted'],
  another: ['pending', 'open', 'open', 'another'],
  hidden: ['pending', 'send-again', 'send-again', 'hidden'],
  'no-answer': ['pending', 'send-again', 'send-again', 'open'],
};
const YOUNG: typeof OLD = {
  ...OLD,
  gone: ['pending', 'send-again', 'send-again', 'open'],
  'no-project': ['pending', 'send-again', 'send-again', 'open'],
  there: ['pending', 'send-again', 'send-again', 'not-deleted'],
};
const KINDS = ['archived', 'gone', 'no-project', 'there', 'another', 'hidden', 'no-answer'] as const;

it.each(KINDS)('gives a verdict on a project or task that is read back as %s', (kind) => {
  expect(SENT.map((sent) => verdictOf(sent, kind, true))).toEqual(OLD[kind]);
  expect(SENT.map((sent) => verdictOf(sent, kind, false))).toEqual(YOUNG[kind]);
});

it('never calls a deletion of a young project over because it is not shown', () => {
  for (const sent of SENT) expect(verdictOf(sent, 'gone', false)).not.toBe('over');
});
