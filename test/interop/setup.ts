import { installTools } from '../support/install-tools.ts';
import { pythonClientGenerator } from './python-client.ts';

/** Installs tools of others: those of API users, and a validator of the SBOM. */
export default async function setup(): Promise<void> {
  pythonClientGenerator();
  await installTools(import.meta.dirname);
}
