import { causeOf } from '../lib/doors/http/log.ts';
import { loadFunctions, resolveCompositionTo } from './functions.ts';
import { createGateway } from './gateway.ts';
import type { Failure } from './pipeline.ts';
import { functionEnvironment, readSettings } from './settings.ts';
import { welcome } from './welcome.ts';

/** `npm start`: the functions that deploy, behind a gateway on this machine. */
async function start(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  const { port, companyId, apiKey, upstream } = settings;
  Object.assign(process.env, functionEnvironment(settings));
  resolveCompositionTo(upstream ? 'upstream' : 'hosted');
  const { openPlatform, closePlatform } = await import('#platform');
  await openPlatform();
  const gateway = createGateway({ ...(await loadFunctions()), onFailure: reportFailure });
  const stop = Promise.withResolvers<void>();
  process.once('SIGTERM', stop.resolve);
  process.once('SIGINT', stop.resolve);
  const url = `http://127.0.0.1:${await gateway.listen(port)}`;
  process.stdout.write(welcome(url, companyId, apiKey, Date.now()));
  await stop.promise;
  await gateway.close();
  await closePlatform();
}

/** As the functions log: what failed and where, never a message, which may hold content. */
function reportFailure({ functionName, requestId, error }: Failure): void {
  const line = { level: 'error', operation: functionName, requestId, cause: causeOf(error) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/** One line for a person. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return 'Segue could not start';
  if ('code' in error && error.code === 'EADDRINUSE') return 'the port is in use: set PORT to another one, or to 0';
  if ('code' in error && error.code === 'EACCES' && 'port' in error) return 'the port may not be used: set PORT';
  return error.message.replace(/\s+/g, ' ');
}

start().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`segue: ${sentence(error)}\n`);
    process.exit(1);
  },
);
