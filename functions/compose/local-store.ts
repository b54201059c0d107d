import * as z from 'zod/mini';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { once } from './once.ts';

/** The folder of everything that one machine keeps. */
export const dataFolder = once(() => z.object({ SEGUE_DATA_DIR: z.string() }).parse(process.env).SEGUE_DATA_DIR);

export const storage = once(() => new SqliteStorage(openDatabase(dataFolder())));
