import { describe, expect, it } from 'vitest';
import { type FailureName, failureName } from '../../../../lib/contract/failure-names.ts';
import { Problem } from '../../../../lib/contract/problem.ts';
import { PROBLEMS } from '../../../../lib/contract/problems.ts';
import { TaskFailure } from '../../../../lib/doors/workflow/failure.ts';

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
  'Segue.Terminal.scope-missing',
  'Segue.Terminal.project-not-found',
  'Segue.Terminal.task-not-found',
  'Segue.Terminal.operation-not-found',
  'Segue.Terminal.route-not-found',
  'Segue.Terminal.method-not-allowed',
  'Segue.Terminal.not-acceptable',
  'Segue.Terminal.custom-id-in-use',
  'Segue.Retryable.request-in-progress',
  'Segue.Terminal.project-deleted',
  'Segue.Terminal.too-large',
  'Segue.Terminal.unsupported-media-type',
  'Segue.Terminal.idempotency-key-reused',
  'Segue.Retryable.rate-limited',
  'Segue.Terminal.team-without-translator',
  'Segue.Unknown.internal-error',
  'Segue.Terminal.upstream-refused',
  'Segue.Unknown.upstream-invalid',
  'Segue.Retryable.upstream-unavailable',
  'Segue.Retryable.unavailable',
  'Segue.Unknown.outcome-unknown',
] as const satisfies readonly FailureName[];

const types = Object.keys(PROBLEMS);

describe('the name of a failure', () => {
  it.each(NAMES)('%s is what its problem type makes it', (name) => {
    const type = name.slice(name.lastIndexOf('.') + 1);
    const found = Object.entries(PROBLEMS).find(([key]) => key === type);
    expect(found?.[1].retryable).toBe(name.startsWith('Segue.Retryable.'));
    if (name.startsWith('Segue.Unknown.')) expect(found?.[1].outcome).toBe('unknown');
    if (name.startsWith('Segue.Terminal.')) expect(found?.[1].outcome).not.toBe('unknown');
  });

  it('is there for every type', () => {
    expect(NAMES.map((name) => name.slice(name.lastIndexOf('.') + 1))).toEqual(types);
  });

  it('is the error’s own name, which Lambda reports as its type', () => {
    for (const [type, name] of [
      ['unavailable', 'Segue.Retryable.unavailable'],
      ['outcome-unknown', 'Segue.Unknown.outcome-unknown'],
      ['team-without-translator', 'Segue.Terminal.team-without-translator'],
    ] as const) {
      expect(failureName(type)).toBe(name);
      expect(new TaskFailure(new Problem(type, { detail: 'Why.' }), 'i-1').name).toBe(name);
    }
  });
});

describe('the cause of a failure', () => {
  const failureOf = (length: number, pointer: (n: number) => string) => {
    const errors = Array.from(
      { length },
      (_, n) => ({ pointer: pointer(n), code: 'required', detail: 'Missing.' }) as const,
    );
    return new TaskFailure(new Problem('invalid-project', { detail: 'Wrong.', errors }), 'i-1');
  };

  it('is the problem as JSON, with how many faults it has', () => {
    expect(JSON.parse(failureOf(2, (n) => `/segments/${n}`).message)).toEqual({
      type: 'urn:segue:problem/invalid-project',
      title: 'The project breaks rules of the contract',
      status: 400,
      detail: 'Wrong.',
      instance: 'i-1',
      retryable: false,
      outcome: 'not-applied',
      faults: 2,
      errors: [
        { pointer: '/segments/0', code: 'required', detail: 'Missing.' },
        { pointer: '/segments/1', code: 'required', detail: 'Missing.' },
      ],
    });
  });

  it.each<[number, (n: number) => string]>([
    [100, (n) => `/segments/${n}`],
    [100, (n) => `/${'世'.repeat(120)}${n}`],
    [5, (n) => `/${'\u0001'.repeat(2_000)}${n}`],
    [1, () => '/'.repeat(9_000)],
  ])('has at most 8 KB with %i faults, the first of them', (length, pointer) => {
    const { message } = failureOf(length, pointer);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(8_000);
    const { errors, faults } = JSON.parse(message);
    expect(faults).toBe(length);
    expect(errors.length).toBeLessThanOrEqual(length);
    if (errors.length > 0) expect(errors[0].pointer).toBe(pointer(0));
  });

  it('says nothing of faults where there are none', () => {
    const { message } = new TaskFailure(
      new Problem('unavailable', { detail: 'Not now.', retryAfterSeconds: 5 }),
      'i-1',
    );
    expect(JSON.parse(message)).toMatchObject({ retryAfterSeconds: 5 });
    expect(JSON.parse(message)).not.toHaveProperty('faults');
  });
});
