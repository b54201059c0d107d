import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

/**
 * Runs the contract suite against any base URL: `npm run verify -- <url>`, with `SEGUE_COMPANY_ID` and `SEGUE_API_KEY` in the
 * environment. Use a company that has nothing else to do: the suite creates and deletes projects, and compares whole lists.
 * With `--report <file>` the results are written as JSON too.
 */
const { url, report } = readArguments(process.argv.slice(2));
const missing = ['SEGUE_COMPANY_ID', 'SEGUE_API_KEY'].filter((name) => !process.env[name]);
if (missing.length > 0) fail(`Set ${missing.join(' and ')} in the environment.`);

process.env['SEGUE_VERIFY_URL'] = url.replace(/\/+$/, '');
const vitest = await startVitest('test', [], {
  run: true,
  watch: false,
  include: ['test/contract/remote.ts'],
  reporters: [
    'default',
    ...(report === undefined ? [] : [['json', { outputFile: report }] satisfies [string, object]]),
  ],
});
await vitest.close();

function readArguments(args: readonly string[]): { readonly url: string; readonly report: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { report: { type: 'string' } },
      allowPositionals: true,
    });
    const [url = '', ...more] = positionals;
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? '') && more.length === 0) return { url, report: values.report };
  } catch {
    // Told below: the arguments are not as they should be.
  }
  return fail('usage: npm run verify -- <base url> [--report <file>]');
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
