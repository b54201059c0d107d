import type { Command } from 'commander';
import { Problem } from '../../lib/contract/problem.ts';
import type { ShownResult } from '../../lib/destinations/preview.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import type { Sent } from '../../lib/service/http-client/public-transport.ts';
import type { GetEntries } from '../../lib/webhooks/fetch-entry.ts';
import type { ExpressionName } from '../../lib/webhooks/mapping/mapper.ts';
import type { CliContext, Deployment } from './deployment.ts';
import { formatFaults } from './faults-in-file.ts';
import { readText } from './files.ts';
import { CliError, UsageError } from './io.ts';
import type { MappingInFile } from './source-test.ts';

interface TestOptions {
  readonly project: string;
  readonly language: string;
  readonly mapping?: string;
  readonly send?: true;
}

/** Adds the command `segue destination test`. */
export function addDestinationTestCommand(destination: Command, { print, err, withDeployment }: CliContext): void {
  destination
    .command('test')
    .description(
      'show the requests that the mapping makes from a project now, without the secret; nothing is sent, except the requests of a fetch',
    )
    .argument('<name>', 'the name of the destination')
    .requiredOption('--project <id>', 'the id or the custom id of a project of the company')
    .requiredOption('--language <code>', 'a target language of the project')
    .option('--mapping <file>', 'test this mapping instead of the destination’s own')
    .option('--send', 'send the requests once')
    .action(async (name: string, options: TestOptions) => {
      const { preview, ends } = await withDeployment(async (deployment) => {
        const { destinations } = deployment;
        const known = await destinations.get(name);
        const file = options.mapping;
        const mapping =
          file === undefined
            ? { path: `mapping of ${name}`, text: known.mapping }
            : { path: file, text: await readText(file) };
        const shown = { ...known, mapping: mapping.text };
        const preview = await previewed(deployment, shown, mapping, options);
        const { sendPreview } = await import('../../lib/destinations/preview.ts');
        const { publicTransport } = await import('../../lib/service/http-client/public-transport.ts');
        if (!options.send) return { preview };
        const send = publicTransport({ allowsLoopback: await deployment.allowsLoopbackEvents() });
        return { preview, ends: await sendPreview(send, known, preview, { secret: await destinations.secret(known) }) };
      });
      const { requests } = preview;
      const sent = ends?.map(({ kind, ...end }) => ('status' in end ? { status: end.status } : { failed: kind }));
      const shown = requests.length === 1 ? requests[0] : requests;
      const text =
        requests.length === 0
          ? 'The mapping makes no requests from this project.\n'
          : `${JSON.stringify(shown, undefined, 2)}\n`;
      print({ requests, ...(sent && { sent }) }, text);
      for (const [index, end] of (ends ?? []).entries()) err(`Request ${index + 1}: ${formatEnd(end)}\n`);
      const last = ends?.at(-1);
      if (last && !isSuccess(last)) throw new CliError(`request ${ends?.length} failed: ${formatEnd(last)}`);
    });
}

/** The time limit for reading a project, in milliseconds. */
const READ_MS = 60_000;

/** @throws {CliError} if the project cannot be read, or the mapping or its requests are wrong */
async function previewed(
  deployment: Deployment,
  destination: Awaited<ReturnType<Deployment['destinations']['get']>>,
  mapping: MappingInFile,
  { project, language: languageCode }: TestOptions,
): Promise<ShownResult> {
  const { PreviewRefusal, previewResult } = await import('../../lib/destinations/preview.ts');
  const { mapper } = await import('../../lib/webhooks/mapping/mapper.ts');
  const own = mapper({ quotes: true });
  const stores = await deployment.resultStores();
  const deadline = deadlineAt(Date.now() + READ_MS, Date.now);
  try {
    const preview = await previewResult(
      {
        ...stores,
        mapper: own,
        openGetEntries: () => openGetEntries(deployment),
        secretOf: deployment.destinations.secret,
        now: Date.now,
      },
      { destination, project, languageCode, deadline },
    );
    if (preview.ok) return preview;
    const faults = preview.faults.map(({ request, detail }) => `request ${request}  ${detail}\n`).join('');
    throw new UsageError('the requests of the mapping are wrong', { faults });
  } catch (error) {
    if (error instanceof PreviewRefusal) throw new CliError(error.message);
    throw await inMapping(mapping, error);
  } finally {
    own.close();
  }
}

/** Opens the function that reads the pages of a fetch from this machine. */
async function openGetEntries({ allowsLoopbackEvents }: Deployment): Promise<GetEntries> {
  const [{ entryGetter }, { publicTransports }] = await Promise.all([
    import('../../lib/webhooks/fetch-entry.ts'),
    import('../../lib/service/http-client/public-transport.ts'),
  ]);
  return entryGetter({
    transportWith: publicTransports(await allowsLoopbackEvents()),
    now: Date.now,
  });
}

/** Checks the syntax of an expression. @throws {UsageError} that shows the fault in its file */
export async function checkMapping(mapping: MappingInFile, name?: ExpressionName): Promise<void> {
  const { mapper } = await import('../../lib/webhooks/mapping/mapper.ts');
  const own = mapper({ quotes: true });
  try {
    await own.check(mapping.text, name);
  } catch (error) {
    throw await inMapping(mapping, error);
  } finally {
    own.close();
  }
}

/** Returns the error for the user of a mapping that fails; any other error as it is. */
async function inMapping(mapping: MappingInFile, error: unknown): Promise<unknown> {
  const { MappingFault } = await import('../../lib/webhooks/mapping/mapper.ts');
  if (!(error instanceof Problem) || error.name !== 'mapping-failed') return error;
  const faults =
    error instanceof MappingFault
      ? formatFaults(mapping, [{ place: error.position, message: `the ${error.expression} fails here` }])
      : '';
  return new UsageError(error.message, { cause: error, faults });
}

function isSuccess(end: Sent): boolean {
  return end.kind === 'answered' && end.status >= 200 && end.status < 300;
}

function formatEnd(end: Sent): string {
  if (end.kind === 'answered') return `answered ${end.status}`;
  return end.kind === 'no-answer' ? `no answer (${end.code})` : ADDRESS_REFUSED;
}

const ADDRESS_REFUSED =
  'the address is refused: only https to public addresses is allowed, and http://127.0.0.1:<port> after npm start -- --allow-loopback-events';
