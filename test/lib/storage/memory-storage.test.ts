import { MemoryStorage } from '../../support/memory-storage.ts';
import { describeStorage } from './storage-suite.ts';

describeStorage('memory', () => new MemoryStorage());
