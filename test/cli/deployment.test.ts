import { describe, expect, it } from 'vitest';
import { commandLine } from '../../cli/deployment.ts';

describe('the command that a command suggests next', () => {
  it.each([
    ['this machine', undefined, 'npm run segue -- source delivery cms x'],
    ['a stack', { stack: 'Segue', gateway: undefined }, 'npm run segue -- --stack Segue source delivery cms x'],
    [
      'one gateway of a stack',
      { stack: 'Segue', gateway: 'Second' },
      'npm run segue -- --stack Segue --gateway Second source delivery cms x',
    ],
  ])('is for %s, like the command itself', (_, named, expected) => {
    expect(commandLine(named, ['source', 'delivery', 'cms', 'x'])).toBe(expected);
  });
});
