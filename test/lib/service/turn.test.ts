import { setImmediate } from 'node:timers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freeTurn, nextTurn, shareTurns } from '../../../lib/service/turn.ts';

describe('turns of the event loop', () => {
  /** The time that each slice seems to take, in milliseconds. */
  let sliceMs = 0;
  let nowMs = 0;

  beforeEach(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Runs three callers with two slices each. Returns the slices and, between them, the turns of the event loop. */
  async function logOfThree(): Promise<string[]> {
    const log: string[] = [];
    const work = ['first', 'second', 'third'].map(async (name) => {
      for (let slice = 1; slice <= 2; slice++) {
        await nextTurn();
        nowMs += sliceMs;
        log.push(`${name} ${slice}`);
      }
    });
    let isOver = false;
    const count = () => {
      log.push('turn');
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(work);
    isOver = true;
    return log;
  }

  it('have one long slice each, in the order of the calls', async () => {
    sliceMs = 20;
    const log = await logOfThree();
    const slices = log.filter((entry) => entry !== 'turn');
    expect(slices).toEqual(['first 1', 'second 1', 'third 1', 'first 2', 'second 2', 'third 2']);
    // A request that arrives is answered between any two slices.
    for (let at = 1; at < log.length; at++) expect([log[at - 1], log[at]]).toContain('turn');
  });

  it('have several short slices, but one of each caller', async () => {
    sliceMs = 0.1;
    const log = await logOfThree();
    expect(log).toEqual(['first 1', 'second 1', 'third 1', 'turn', 'first 2', 'second 2', 'third 2']);
  });

  it('are shared round robin by company, however many callers one has', async () => {
    sliceMs = 20;
    const log: string[] = [];
    const work = async (name: string, slices: number) => {
      for (let slice = 0; slice < slices; slice++) {
        await nextTurn();
        nowMs += sliceMs;
        log.push(name);
      }
    };
    const large = Array.from({ length: 50 }, () => shareTurns('large', () => work('large', 2)));
    const small = shareTurns('small', () => work('small', 3));
    const none = work('none', 2);
    await Promise.all([...large, small, none]);
    expect(log.slice(0, 8)).toEqual(['large', 'small', 'none', 'large', 'small', 'none', 'large', 'small']);
    expect(new Set(log.slice(8))).toEqual(new Set(['large']));
    expect(log).toHaveLength(105);
  });

  it('go by for connections, but not for ever', async () => {
    let slices = 0;
    const turnsOfSlices: number[] = [];
    const work = (async () => {
      for (; slices < 2; slices++) await nextTurn();
    })();
    for (let turn = 0; slices < 2; turn++) {
      const before = slices;
      freeTurn();
      await new Promise((resolve) => void setImmediate(resolve));
      if (slices > before) turnsOfSlices.push(turn);
    }
    await work;
    const [first = 0, second = 0] = turnsOfSlices;
    expect(first).toBeGreaterThan(0);
    expect(second - first).toBe(65);
  });
});
