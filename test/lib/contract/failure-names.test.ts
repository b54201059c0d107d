import { describe, expect, it } from 'vitest';
import { type FailureName, failureName, isTerminal, PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';

/** What state machines have in `ErrorEquals`: changing one breaks them. */
const NAMES = [
  'Segue.Terminal.malformed-json',
  'Segue.Terminal.invalid-project',
  'Segue.Terminal.invalid-parameter',
  'Segue.Terminal.unknown-parameter',
  'Segue.Terminal.unexpected-body',
  'Segue.Terminal.invalid-header',
  'Segue.Terminal.unauthenticated',
  'Segue.Terminal.invalid-signature',
  'Segue.Terminal.company-suspended',
  'Segue.Terminal.scope-missing',
  'Segue.Terminal.project-not-found',
  'Segue.Terminal.task-not-found',
  'Segue.Terminal.operation-not-found',
  'Segue.Terminal.source-not-found',
  'Segue.Terminal.company-not-found',
  'Segue.Terminal.route-not-found',
  'Segue.Terminal.method-not-allowed',
  'Segue.Terminal.not-acceptable',
  'Segue.Terminal.custom-id-in-use',
  'Segue.Retryable.request-in-progress',
  'Segue.Terminal.project-deleted',
  'Segue.Terminal.too-large',
  'Segue.Terminal.unsupported-media-type',
  'Segue.Terminal.idempotency-key-reused',
  'Segue.Terminal.mapping-failed',
  'Segue.Retryable.rate-limited',
  'Segue.Terminal.team-without-translator',
  'Segue.Unknown.internal-error',
  'Segue.Terminal.upstream-refused',
  'Segue.Unknown.upstream-invalid',
  'Segue.Retryable.upstream-unavailable',
  'Segue.Retryable.unavailable',
  'Segue.Unknown.outcome-unknown',
] as const satisfies readonly FailureName[];

describe('the name of a failure', () => {
  it('is there for every type, in the order of the catalogue', () => {
    expect(PROBLEM_TYPES.map(failureName)).toEqual(NAMES);
  });

  it.each(NAMES)('%s is what its problem type makes it', (name) => {
    const type = PROBLEM_TYPES.find((known) => name.endsWith(`.${known}`));
    const { retryable, outcome } = PROBLEMS[type ?? 'internal-error'];
    expect(retryable).toBe(name.startsWith('Segue.Retryable.'));
    if (name.startsWith('Segue.Unknown.')) expect(outcome).toBe('unknown');
    if (name.startsWith('Segue.Terminal.')) expect(outcome).not.toBe('unknown');
  });

  it('says of the terminal ones that they are', () => {
    const terminal = NAMES.filter((name) => name.startsWith('Segue.Terminal.'));
    expect(PROBLEM_TYPES.filter(isTerminal).map(failureName)).toEqual(terminal);
  });
});
