import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { segueHere, segueWith } from '../../../test/support/segue.ts';

/** Prints the URL of each module that is loaded. */
const PRINT_LOADED = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n');
      return next(url, context);
    },
  });`;

it.each([['--version'], ['projects --help'], ['projects delete --help'], ['import --help'], ['company add --help']])(
  'segue %s loads commander and no other package',
  async (line) => {
    const hooks = `data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`;
    const { code, stderr } = await segueWith({ NODE_OPTIONS: `--import=${hooks}` }, ...line.split(' '));
    const packages = Array.from(stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g), ([, name]) => name);
    expect([code, [...new Set(packages)]]).toEqual([0, ['commander']]);
  },
);

it('a command has the same help whether it is loaded alone or with all others', async () => {
  const folder = temporaryFolder();
  for (const name of ['login', 'languages', 'company', 'segments', 'completion']) {
    const alone = await segueHere(folder, name, '--help');
    expect(alone).toEqual(await segueHere(folder, 'help', name));
    expect(alone.stdout).toContain(`Usage: segue ${name} `);
  }
});
