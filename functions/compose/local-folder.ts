import * as z from 'zod/mini';
import { once } from './once.ts';

/** The folder of everything that one machine keeps. */
export const dataFolder = once(() => z.object({ SEGUE_DATA_DIR: z.string() }).parse(process.env).SEGUE_DATA_DIR);
