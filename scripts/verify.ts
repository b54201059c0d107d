import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

/**
 * Runs the contract suite against any base URL: `npm run verify -- <url>`, with `SEGUE_COMPANY_ID` and `SEGUE_API_KEY` in the
 * environment. Use a company that has nothing else to do: the suite creates and deletes projects, and compares whole lists.
 * With `--report <file>` the results are written as JSON too. With `--hosted` it also asks what, so far, only Segue's own
 * service keeps: idempotency keys and tombstones.
 */
const { url, report, hosted } = readArguments(process.argv.slice(2));
const missing = ['SEGUE_COMPANY_ID', 'SEGUE_API_KEY'].filter((name) => !process.env[name]);
if (missing.length > 0) fail(`Set ${missing.join(' and ')} in the environment.`);

process.env['SEGUE_VERIFY_URL'] = url.replace(/\/+$/, '');
process.env['SEGUE_VERIFY_SERVICE'] = hosted ? 'hosted' : 'any';
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

interface Arguments {
  readonly url: string;
  readonly report: string | undefined;
  readonly hosted: boolean;
}

function readArguments(args: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { report: { type: 'string' }, hosted: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [url = '', ...more] = positionals;
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? '') && more.length === 0) {
      return { url, report: values.report, hosted: values.hosted };
    }
  } catch {
    // Told below: the arguments are not as they should be.
  }
  return fail('usage: npm run verify -- <base url> [--hosted] [--report <file>]');
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
