import { bundleAll } from './bundles.ts';
import { SERVICES } from './functions/catalogue.ts';

/** Bundles the functions of a service for AWS: `bundle-all.ts <service> <folder>`. */
const [name, folder] = process.argv.slice(2);
const service = SERVICES.find((known) => known === name);
if (service === undefined || folder === undefined) throw new RangeError('bundle-all.ts takes a service and a folder');
await bundleAll(folder, { service, platform: 'aws' });
