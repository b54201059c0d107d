import type { PlantedBug } from './bug.ts';

const COMMAND = 'test/lib/bulk/command.test.ts';
const ENTRIES = 'test/lib/bulk/entries.test.ts';
const LINE = 'test/lib/doors/workflow/bulk-line.test.ts';
const PREPARE = 'test/lib/doors/workflow/prepare-bulk.test.ts';
const RUN = 'test/cli/bulk/run.test.ts';
const BULK = 'test/cli/bulk/bulk.test.ts';

/** Bugs of bulk runs. */
export const BULK_BUGS: readonly PlantedBug[] = [
  {
    name: 'the key of a line does not name its manifest',
    file: 'lib/bulk/manifest.ts',
    find: "return ['bulk', sha256, entry].join(' ');",
    replace: "return ['bulk', sha256.length, entry].join(' ');",
    tests: [LINE],
  },
  {
    name: 'the key of a line does not name the line',
    file: 'lib/bulk/manifest.ts',
    find: "return ['bulk', sha256, entry].join(' ');",
    replace: "return ['bulk', sha256, entry > 0].join(' ');",
    tests: [LINE],
  },
  {
    name: 'blank lines are not counted',
    file: 'lib/bulk/split/json-lines.ts',
    find: '        line++;\n',
    replace: '        if (!isBlank) line++;\n',
    tests: [ENTRIES],
  },
  {
    name: 'a last line without a line end is dropped',
    file: 'lib/bulk/split/json-lines.ts',
    find: '  if (!isBlank && offset !== undefined) yield { line, offset, bytes: end - offset };\n',
    replace: '',
    tests: [ENTRIES],
  },
  {
    name: 'a line end in quotes ends a record of CSV',
    file: 'lib/bulk/split/csv-records.ts',
    find: "byte === LINE_FEED && within !== 'quoted'",
    replace: 'byte === LINE_FEED',
    tests: [ENTRIES],
  },
  {
    name: 'what is behind a carriage return in a record of CSV is dropped',
    file: 'lib/bulk/csv.ts',
    find: 'if (others.length > 0) throw',
    replace: 'if (others.length < 0) throw',
    tests: [COMMAND],
  },
  {
    name: 'results are written over the manifest',
    file: 'cli/bulk/results-file.ts',
    find: 'one.ino === two.ino',
    replace: 'one.ino !== two.ino',
    tests: [BULK],
  },
  {
    name: 'a bulk run works in the store of the other service',
    file: 'cli/place.ts',
    find: 'if ((await claimStore(storage, service)) === service) return;',
    replace: 'if (await claimStore(storage, service)) return;',
    tests: [BULK],
  },
  {
    name: 'a task that got lost in CSV deletes the project',
    file: 'lib/bulk/csv.ts',
    find: '    ...(Object.keys(deletion).length > 0 && { delete: { ...deletion, ...projectIdIn(deletion) } }),',
    replace:
      "    ...(Object.keys(deletion).length > 0 && {\n      delete: { ...deletion, ...projectIdIn(deletion), ...(!deletion['taskId'] && { scope: 'project' }) },\n    }),",
    tests: [COMMAND],
  },
  {
    name: 'a fault of a line is dropped',
    file: 'lib/doors/workflow/failure.ts',
    find: 'const shown = [...errors];',
    replace: 'const shown = errors.slice(0, 1);',
    tests: [LINE],
  },
  {
    name: 'what was done before counts as created',
    file: 'cli/bulk/tally.ts',
    find: 'else if (result.replayed) this.#replayed++;',
    replace: "else if (result.outcome === 'deleted-since') this.#replayed++;",
    tests: [BULK],
  },
  {
    name: 'attempts count as failed lines',
    file: 'cli/bulk/run.ts',
    find: '      if (stop.aborted) return undefined;\n',
    replace:
      "      if (stop.aborted) return undefined;\n      if (attempt === 1) return { entry: entry.entry, line: entry.line, outcome: 'failed', failure: error.name, cause: error.message };\n",
    tests: [RUN],
  },
  {
    name: 'one failed line too many is tolerated',
    file: 'cli/bulk/run.ts',
    find: 'while (!stop.aborted && failed <= mostFailed)',
    replace: 'while (!stop.aborted && failed <= mostFailed + 1)',
    tests: [RUN],
  },
  {
    name: 'a manifest may be changed between its index and its lines',
    file: 'lib/bulk/s3.ts',
    find: 'IfMatch: etag, ',
    replace: '',
    tests: [PREPARE],
  },
  {
    name: 'a company may open the manifests of another',
    file: 'lib/bulk/s3.ts',
    find: 'if (!key.startsWith(manifestKey(companyId, ',
    replace: "if (!key.startsWith('manifests/') && !key.startsWith(manifestKey(companyId, ",
    tests: [PREPARE],
  },
];
