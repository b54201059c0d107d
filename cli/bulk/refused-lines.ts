import { failureName } from '../../lib/contract/problems.ts';
import { CompanyError } from '../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED, NO_SUCH_COMPANY } from '../../lib/credentials/company-record.ts';
import type { ByteRange, ManifestFile } from '../../lib/workflow/bulk/manifest.ts';
import { readChunks } from './manifest-file.ts';

/** The prefix of failures that a corrected line may avoid. */
const TERMINAL = 'Segue.Terminal.';

/** Failures that are about the company: no line is wrong, and none can succeed. */
const COMPANY_MESSAGES: ReadonlyMap<string, string> = new Map([
  [failureName('company-not-found'), NO_SUCH_COMPANY],
  [failureName('company-suspended'), COMPANY_SUSPENDED],
]);

/** The refusal that ends a run. @returns `undefined` if the failure is about one line */
export function companyRefusal(failure = ''): CompanyError | undefined {
  const message = COMPANY_MESSAGES.get(failure);
  return message === undefined ? undefined : new CompanyError(message);
}

/** Collects the refused lines of a run, to write them unchanged. */
export class RefusedLines {
  readonly #lines: ByteRange[] = [];

  /** Skips lines that need no correction: their failure may pass, or is about the company. */
  add(failure: string, { offset, bytes }: ByteRange): void {
    if (failure.startsWith(TERMINAL) && !companyRefusal(failure)) this.#lines.push({ offset, bytes });
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Writes the lines in the order of the manifest, byte for byte. */
  async write(file: ManifestFile, write: (bytes: Uint8Array) => void): Promise<void> {
    for (const line of this.#lines.sort((one, other) => one.offset - other.offset)) {
      for await (const chunk of readChunks(file.read, line)) write(chunk);
      write(Buffer.from('\n'));
    }
  }
}
