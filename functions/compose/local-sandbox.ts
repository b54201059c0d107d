import * as z from 'zod/mini';
import { openSandboxKeyFile } from '../../lib/credentials/sandbox.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

const Settings = z.object({ SEGUE_COMPANY_ID: z.string(), SEGUE_API_KEY: z.optional(z.string()) });

/** The company of one machine, with the key from the environment, or else the key in the data folder. */
export const sandbox = once(() => {
  const { SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey } = Settings.parse(process.env);
  return { companyId, apiKey: apiKey ?? openSandboxKeyFile(dataFolder(), companyId) };
});
