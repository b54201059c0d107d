import { afterAll } from 'vitest';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { startGateway } from '../support/gateway.ts';
import { hosted } from '../support/world.ts';
import { contractOfCommands } from './suite/index.ts';
import { WorkflowDoor } from './workflow-door.ts';

// The tasks use the store of a gateway, which answers reads.
// `hosted.test.ts` tests the suite while an engine translates.
const gateway = await startGateway({ env: { SEGUE_TRANSLATION_ENGINE: 'none' } });
const database = openDatabase(gateway.dataDir);
afterAll(async () => {
  database.close();
  await gateway.stop();
});

const service = hosted({ storage: new SqliteStorage(database, Date.now), now: Date.now, random: Math.random });
contractOfCommands(new WorkflowDoor({ ...gateway, name: 'the tasks of workflows', writesTranslations: true }, service));
