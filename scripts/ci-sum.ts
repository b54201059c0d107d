import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** What vitest's JSON reporter says of a run. */
const Report = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numFailedTestSuites: z.int() });

/**
 * Prints how many tests of several runs passed and failed: `ci-sum.ts <status of the steps> <report>...`.
 * A step that failed without a failed test, or a report that is missing, counts as one failure.
 */
const [status, ...paths] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const path of paths) {
  const report = read(path);
  passed += report?.numPassedTests ?? 0;
  failed += report ? report.numFailedTests || Number(report.numFailedTestSuites > 0) : 1;
}
if (status !== '0') failed = Math.max(failed, 1);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function read(path: string): z.infer<typeof Report> | undefined {
  try {
    return Report.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
