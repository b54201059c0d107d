import { startVitest } from 'vitest/node';

/**
 * Runs the contract suite against any base URL: `npm run verify -- <url>`, with `SEGUE_COMPANY_ID` and `SEGUE_API_KEY` in the
 * environment. Use a company that has nothing else to do: the suite creates and deletes projects, and compares whole lists.
 */
const [url = '', ...more] = process.argv.slice(2);
const missing = ['SEGUE_COMPANY_ID', 'SEGUE_API_KEY'].filter((name) => !process.env[name]);

if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '') || more.length > 0) fail('usage: npm run verify -- <base url>');
if (missing.length > 0) fail(`Set ${missing.join(' and ')} in the environment.`);

process.env['SEGUE_VERIFY_URL'] = url.replace(/\/+$/, '');
const vitest = await startVitest('test', [], { run: true, watch: false, include: ['test/contract/remote.ts'] });
await vitest.close();

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
