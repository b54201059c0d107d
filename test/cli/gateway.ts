import { onTestFinished } from 'vitest';
import { openSigningKeysFile } from '../../lib/credentials/signing-keys-file.ts';
import { openSqlite } from '../lib/storage/folder.ts';
import { authenticationHere, gatewayHere } from '../support/gateway-here.ts';

/** A gateway on a data folder as `npm start` has it, in this process and with a clock that is moved by hand. */
export async function openGateway(folder: string) {
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const store = openSqlite(now, folder);
  const authentication = authenticationHere({ store, secret: openSigningKeysFile(folder), now });
  const gateway = gatewayHere({ store, authentication });
  const port = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  return { clock, url: `http://127.0.0.1:${port}` };
}
