// Preloaded into a process, to let its clock run ahead by LATE_MS. Pauses and leases of earlier processes are over then.
const { now } = Date;
const aheadMs = Number(process.env.LATE_MS);
Date.now = () => now() + aheadMs;
