import { openSqlite } from '../storage/folder.ts';
import { describeSignIns } from './sign-in-suite.ts';

describeSignIns('SQLite', async (now) => openSqlite(now));
