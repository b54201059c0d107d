import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { segueHere, segueWith } from '../../../test/support/segue.ts';
import { program } from '../program.ts';

/** Prints the URL of each module that is loaded. */
const PRINT_LOADED = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n');
      return next(url, context);
    },
  });`;

it.each([
  ['--version'],
  ['--help'],
  ['projects --help'],
  ['projects delete --help'],
  ['import --help'],
  ['company add --help'],
])('segue %s loads commander and no other package', async (line) => {
  const hooks = `data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`;
  const { code, stderr } = await segueWith({ NODE_OPTIONS: `--import=${hooks}` }, ...line.split(' '));
  const packages = Array.from(stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g), ([, name]) => name);
  expect([code, [...new Set(packages)]]).toEqual([0, ['commander']]);
});

it('segue --help describes the commands without loading them as if all were loaded', async () => {
  const whole = await program({ env: {}, out: () => {}, err: () => {} });
  const folder = temporaryFolder();
  expect((await segueHere(folder, '--help')).stdout).toBe(whole.helpInformation());
  expect(await segueHere(folder, 'help')).toEqual(await segueHere(folder, '--help'));
});

it('a command has the same help whether it is loaded alone or with all others', async () => {
  const whole = await program({ env: {}, out: () => {}, err: () => {} });
  const folder = temporaryFolder();
  for (const name of ['login', 'languages', 'company', 'segments', 'completion']) {
    const { stdout } = await segueHere(folder, name, '--help');
    const together = whole.commands.find((command) => command.name() === name);
    expect(stdout.startsWith(together?.helpInformation() ?? 'no such command')).toBe(true);
    expect(await segueHere(folder, 'help', name)).toMatchObject({ stdout });
  }
});
