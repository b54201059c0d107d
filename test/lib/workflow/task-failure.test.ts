import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { TaskFailure } from '../../../lib/workflow/task-failure.ts';

it('a failure’s name is the error’s own, which Lambda reports as its type', () => {
  for (const [type, name] of [
    ['unavailable', 'Segue.Retryable.unavailable'],
    ['outcome-unknown', 'Segue.Unknown.outcome-unknown'],
    ['team-without-translator', 'Segue.Terminal.team-without-translator'],
  ] as const) {
    expect(new TaskFailure(new Problem(type, { detail: 'Why.' }), 'i-1').name).toBe(name);
  }
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
      title: 'The project is invalid',
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

  it('comes with no trace, which Lambda would put beside it: that says it once more, and where the code is', () => {
    const { stack } = new TaskFailure(new Problem('unavailable', { detail: 'Not now.' }), 'i-1');
    expect(stack).toBe('');
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
