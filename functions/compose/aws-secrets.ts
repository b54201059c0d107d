import { secretsManagerClient } from '../../lib/credentials/secrets-manager.ts';
import { client } from './aws-items.ts';
import { once } from './once.ts';

/**
 * The client of secrets, for a function that also has the table's: it takes over what that one has made ready, or
 * would make ready a second time while the function starts.
 */
export const secretsClient = once(() => {
  const { requestHandler, region, credentials } = client().config;
  return secretsManagerClient({ requestHandler, region, credentials });
});
